import Dispatch

/// Turns the loop within Dispatch's main queue, where something else serves that.
@MainActor final class EventLoopHost {
    private var readiness: (any DispatchSourceRead)?
    private var timer: (any DispatchSourceTimer)?
    private var isTurning = false

    /// - Parameter remaining: until the loop has something to do without a descriptor; nil: never.
    func wake(_ remaining: Duration?, _ poll: Poll) {
        if readiness == nil {
            let source = DispatchSource.makeReadSource(fileDescriptor: poll.descriptor, queue: .main)
            source.setEventHandler { MainActor.assumeIsolated { EventLoop.turn() } }
            source.activate()
            readiness = source
        }
        guard let remaining else {
            timer?.schedule(deadline: .distantFuture)
            return
        }
        if remaining == .zero { return turnSoon() }
        let timer = timer ?? makeTimer()
        timer.schedule(deadline: .now() + .nanoseconds(Int(clamping: remaining.inNanoseconds)))
    }

    private func turnSoon() {
        guard !isTurning else { return }
        isTurning = true
        DispatchQueue.main.async {
            MainActor.assumeIsolated {
                self.isTurning = false
                EventLoop.turn()
            }
        }
    }

    private func makeTimer() -> any DispatchSourceTimer {
        let timer = DispatchSource.makeTimerSource(queue: .main)
        timer.setEventHandler { MainActor.assumeIsolated { EventLoop.turn() } }
        timer.schedule(deadline: .distantFuture)
        timer.activate()
        self.timer = timer
        return timer
    }
}
