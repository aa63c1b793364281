import CLinux
import Glibc

/// Watches a descriptor on the event loop until ``cancel()`` is called or the object is released.
@MainActor public final class EventSource {
    /// What a descriptor is watched for.
    public enum Readiness: Sendable {
        case reading, writing
        /// Only for an error or a closed other end (EPOLLERR, EPOLLHUP), which every source reports.
        /// The write end of a pipe has an error when nobody can read from the pipe any more.
        case closing

        fileprivate var interest: EpollSet.Interest {
            switch self {
            case .reading: EpollSet.Interest(events: EPOLLIN.rawValue)
            case .writing: EpollSet.Interest(events: EPOLLOUT.rawValue)
            case .closing: EpollSet.Interest(events: 0)
            }
        }
    }

    /// The number in the ``EpollSet``; nil after ``cancel()``.
    private var number: UInt64?
    private let owned: Int32?

    private init(_ number: UInt64, closing owned: Int32?) {
        self.number = number
        self.owned = owned
    }

    isolated deinit { cancel() }

    /// Stops watching: the handler does not run any more. Closes the descriptor if the source owns it.
    public func cancel() {
        guard let number else { return }
        self.number = nil
        EventLoop.poll.remove(number)
        if let owned { close(owned) }
    }

    /// Runs the handler while the descriptor is readable or writable, or has a pending error (EPOLLERR,
    /// epoll_ctl(2)) such as one in its error queue (IP_RECVERR, ip(7)).
    /// - Parameter owning: whether ``cancel()`` closes the descriptor. Otherwise the caller closes it after
    ///   ``cancel()``.
    /// - Throws: the kernel cannot watch the descriptor (EPERM for a file). The descriptor is not closed
    ///   then.
    public static func polling(
        _ descriptor: Int32, for readiness: Readiness, owning: Bool = false,
        _ handler: @escaping @MainActor () -> Void
    ) throws(SystemError) -> EventSource {
        EventSource(
            try EventLoop.poll.add(descriptor, readiness.interest, handler),
            closing: owning ? descriptor : nil)
    }

    /// Like `polling` for reading, but accepts every kind of descriptor. epoll(7) refuses some, such as
    /// regular files, which are always readable: for them, the handler runs in every turn of the loop.
    public static func reading(
        _ descriptor: Int32, owning: Bool, _ handler: @escaping @MainActor () -> Void
    ) -> EventSource {
        let poll = EventLoop.poll
        let number = try? poll.add(descriptor, Readiness.reading.interest, handler)
        return EventSource(number ?? poll.addAlwaysReady(handler), closing: owning ? descriptor : nil)
    }
}
