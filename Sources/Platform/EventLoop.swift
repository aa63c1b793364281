import Dispatch

/// The event loop: Dispatch's main queue.
@MainActor public enum EventLoop {
    /// What is to be done before the queue is served; nil: the queue is used.
    private static var early: [@MainActor () -> Void]?

    /// From now until ``run()`` what is asked for with ``soon(_:)`` is kept for that. Dispatch serves its main
    /// queue with a thread of its own; a one-shot that never has to wait is over before one is needed.
    public static func prepare() { early = [] }

    /// Runs the closure soon, never inside this call.
    public static func soon(_ closure: @escaping @MainActor () -> Void) {
        guard early == nil else {
            early?.append(closure)
            return
        }
        DispatchQueue.main.async { MainActor.assumeIsolated { closure() } }
    }

    /// Does what was asked for so far, in the calling thread, and then serves the queue until the process ends.
    public static func run() -> Never {
        while early?.isEmpty == false { early?.removeFirst()() }
        early = nil
        #if THREAD_SANITIZER
            // It does not see dispatchMain(3) hand the queue over to another thread; an item in it, it does.
            DispatchQueue.main.async {}
        #endif
        dispatchMain()
    }
}
