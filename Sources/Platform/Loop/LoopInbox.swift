import CLinux
import Glibc

/// What other threads hand to the event loop.
final class LoopInbox: Sendable {
    /// The one of this process, opened when it is first needed; nil: no descriptor is left.
    @MainActor static func open() -> LoopInbox? {
        if let opened { return opened }
        let descriptor = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
        guard descriptor != -1 else { return nil }
        let inbox = LoopInbox(descriptor)
        source = .reading(descriptor, owning: true) { inbox.empty() }
        opened = inbox
        return inbox
    }

    @MainActor private static var opened: LoopInbox?
    @MainActor private static var source: EventSource?

    /// Readable while there are closures (eventfd(2)).
    private let descriptor: Int32
    /// Guards `closures`. Not Synchronization's Mutex: ThreadSanitizer does not see that one, and reports a race.
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

    /// Runs the closure on the event loop, after those posted before. Any thread may call this.
    func post(_ closure: @escaping @MainActor @Sendable () -> Void) {
        locked { closures.append(closure) }
        var one: UInt64 = 1
        // The counter overflows only after more calls than there can be.
        _ = write(descriptor, &one, MemoryLayout<UInt64>.size)
    }

    @MainActor private func empty() {
        var count: UInt64 = 0
        // Before the closures are taken: a later one makes it readable again.
        _ = read(descriptor, &count, MemoryLayout<UInt64>.size)
        let taken = locked {
            defer { closures = [] }
            return closures
        }
        for closure in taken { closure() }
    }
}
