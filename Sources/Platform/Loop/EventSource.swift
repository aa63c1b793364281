import CLinux
import Glibc

/// A descriptor that the event loop watches, until ``cancel()``. Releasing it cancels it too.
@MainActor public final class EventSource {
    /// What a descriptor is watched for.
    public enum Readiness: Sendable {
        case reading, writing

        fileprivate var interest: EpollSet.Interest {
            switch self {
            case .reading: EpollSet.Interest(events: EPOLLIN.rawValue)
            case .writing: EpollSet.Interest(events: EPOLLOUT.rawValue)
            }
        }
    }

    /// nil: it was cancelled.
    private var number: UInt64?
    private let owned: Int32?

    private init(_ number: UInt64, closing owned: Int32?) {
        self.number = number
        self.owned = owned
    }

    isolated deinit { cancel() }

    /// No handler runs after this. Closes a descriptor that the source owns.
    public func cancel() {
        guard let number else { return }
        self.number = nil
        EventLoop.poll.remove(number)
        if let owned { close(owned) }
    }

    /// Runs the handler while the descriptor is readable, or writable, or has a pending error (EPOLLERR,
    /// epoll_ctl(2)), such as one in its error queue (IP_RECVERR, ip(7)).
    /// - Parameter owning: the descriptor is closed by ``cancel()``; otherwise it stays the caller's, who may
    ///   close it when the source is cancelled.
    /// - Throws: the kernel does not watch it (a file: EPERM); then nothing is closed.
    public static func polling(
        _ descriptor: Int32, for readiness: Readiness, owning: Bool = false,
        _ handler: @escaping @MainActor () -> Void
    ) throws(SystemError) -> EventSource {
        EventSource(
            try EventLoop.poll.add(descriptor, readiness.interest, handler),
            closing: owning ? descriptor : nil)
    }

    /// The same for reading any descriptor: one that the kernel cannot watch, such as a file, which is always
    /// ready, is read in each turn of the loop.
    public static func reading(
        _ descriptor: Int32, owning: Bool, _ handler: @escaping @MainActor () -> Void
    ) -> EventSource {
        let poll = EventLoop.poll
        let number = try? poll.add(descriptor, Readiness.reading.interest, handler)
        return EventSource(number ?? poll.addAlwaysReady(handler), closing: owning ? descriptor : nil)
    }
}
