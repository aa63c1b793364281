import CLinux
import Dispatch
import Glibc

/// A Dispatch source on the main queue, whose handlers are isolated to the main actor: the one bridge
/// between the two.
///
/// It is activated where it is made (releasing an inactive source traps), and holds on until ``cancel()``.
/// Releasing it cancels it too.
@MainActor public final class MainQueueSource {
    private let source: any DispatchSourceProtocol

    private init(
        _ source: any DispatchSourceProtocol, closing descriptors: [Int32] = [],
        handler: @escaping @MainActor () -> Void
    ) {
        self.source = source
        source.setEventHandler { MainActor.assumeIsolated { handler() } }
        if !descriptors.isEmpty { source.setCancelHandler { for each in descriptors { close(each) } } }
        source.activate()
    }

    isolated deinit { source.cancel() }

    /// No handler runs after this. A descriptor that the source owns is closed soon after, by the main queue.
    public func cancel() { source.cancel() }

    /// Runs the handler while the descriptor can be read. `owning`: the descriptor is closed after
    /// ``cancel()``, not before: a source whose descriptor went away beneath it may hear another's events.
    ///
    /// An epoll instance stands between the descriptor and Dispatch, which so never sees it hang up: on a
    /// hang-up (EPOLLHUP: a pipe's far end is closed, a process was reaped) Dispatch's own thread walks the
    /// descriptor's sources while the main queue may be freeing them, and the process dies of it now and then.
    public static func reading(
        _ descriptor: Int32, owning: Bool, _ handler: @escaping @MainActor () -> Void
    ) -> MainQueueSource {
        let owned = owning ? [descriptor] : []
        guard let poll = try? poll(descriptor, for: .reading) else {
            // Files that are always ready (EPERM) never hang up; nor is there another way without a descriptor.
            return MainQueueSource(
                DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .main), closing: owned,
                handler: handler)
        }
        return reading(poll, closing: owned, handler)
    }

    /// What a descriptor is watched for by ``polling(_:for:_:)``.
    public enum Readiness: Sendable { case reading, writing }

    /// Runs the handler while the descriptor can be read, or written, or has an error waiting (EPOLLERR,
    /// epoll_ctl(2)), such as one in its error queue (IP_RECVERR, ip(7)). A Dispatch source of its own does
    /// not wake for an error alone; an epoll instance between the two turns it into something to read. The
    /// descriptor stays the caller's, who may close it when the source is cancelled.
    /// - Throws: the epoll instance could not be made.
    public static func polling(
        _ descriptor: Int32, for readiness: Readiness, _ handler: @escaping @MainActor () -> Void
    ) throws(SystemError) -> MainQueueSource {
        reading(try poll(descriptor, for: readiness), closing: [], handler)
    }

    /// A source on an epoll instance, which is closed with it.
    private static func reading(
        _ poll: Int32, closing others: [Int32], _ handler: @escaping @MainActor () -> Void
    ) -> MainQueueSource {
        MainQueueSource(
            DispatchSource.makeReadSource(fileDescriptor: poll, queue: .main), closing: [poll] + others,
            handler: handler)
    }

    /// An epoll instance (epoll(7)) that can be read while the descriptor is ready.
    private static func poll(_ descriptor: Int32, for readiness: Readiness) throws(SystemError) -> Int32 {
        let poll = try check("epoll_create1") { epoll_create1(Int32(EPOLL_CLOEXEC)) }
        var event = epoll_event()
        event.events = readiness == .reading ? EPOLLIN.rawValue : EPOLLOUT.rawValue
        do throws(SystemError) {
            try check("epoll_ctl") { epoll_ctl(poll, EPOLL_CTL_ADD, descriptor, &event) }
        } catch {
            close(poll)
            throw error
        }
        return poll
    }

    /// A timer that does nothing until ``schedule(after:leeway:)``.
    static func timer(_ handler: @escaping @MainActor () -> Void) -> MainQueueSource {
        let timer = DispatchSource.makeTimerSource(queue: .main)
        timer.schedule(deadline: .distantFuture)
        return MainQueueSource(timer, handler: handler)
    }

    /// Lets a timer fire once, so long from now (CLOCK_MONOTONIC); nil: never.
    func schedule(afterNanoseconds span: Int64?, leeway: DispatchTimeInterval) {
        guard let timer = source as? any DispatchSourceTimer else { return }
        guard let span else { return timer.schedule(deadline: .distantFuture) }
        let nanoseconds = Int(clamping: min(max(0, span), Self.longest))
        timer.schedule(deadline: .now() + .nanoseconds(nanoseconds), leeway: leeway)
    }

    /// A year: far below where the sum with the present could overflow.
    private static let longest: Int64 = 365 * 86_400 * 1_000_000_000
}
