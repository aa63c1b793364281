import CLinux
import Glibc

/// Receives closures from other threads and runs them on the event loop.
final class LoopInbox: Sendable {
    /// The inbox of this process, which the first call opens.
    /// - Throws: the error of eventfd(2).
    @MainActor static func open() throws(SystemError) -> LoopInbox {
        if let opened { return opened }
        let descriptor = try check("eventfd") { eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK)) }
        let inbox = LoopInbox(descriptor)
        source = .reading(descriptor, owning: true) { inbox.empty() }
        opened = inbox
        return inbox
    }

    @MainActor private static var opened: LoopInbox?
    @MainActor private static var source: EventSource?

    /// The event descriptor; it is readable while there are closures (eventfd(2)).
    private let descriptor: Int32
    /// Guards `closures`. ThreadSanitizer does not know Synchronization's Mutex and would report a race, so
    /// this is a mutex of pthreads.
    nonisolated(unsafe) private let lock: UnsafeMutablePointer<pthread_mutex_t>
    nonisolated(unsafe) private var closures: [@MainActor @Sendable () -> Void] = []

    private init(_ descriptor: Int32) {
        self.descriptor = descriptor
        lock = .allocate(capacity: 1)
        pthread_mutex_init(lock, nil)
    }

    private func locked<Value>(_ body: () -> Value) -> Value {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        return body()
    }

    /// Runs the closure on the event loop, after those that were posted before. May be called on any thread.
    func post(_ closure: @escaping @MainActor @Sendable () -> Void) {
        locked { closures.append(closure) }
        var one: UInt64 = 1
        // The counter cannot overflow in practice.
        _ = write(descriptor, &one, MemoryLayout<UInt64>.size)
    }

    @MainActor private func empty() {
        var count: UInt64 = 0
        // Reset the counter before taking the closures: a closure that is posted later makes the descriptor
        // readable again.
        _ = read(descriptor, &count, MemoryLayout<UInt64>.size)
        let taken = locked {
            defer { closures = [] }
            return closures
        }
        for closure in taken { closure() }
    }
}
