import Dispatch

/// Turns the loop within Dispatch's main queue, if something else runs that queue.
@MainActor final class EventLoopHost {
    private var readiness: (any DispatchSourceRead)?
    private var timer: ScheduleTimer?
    /// The time that the timer is set to.
    private var alarm: Int64?
    private var isTurning = false

    /// - Parameters:
    ///   - isAtOnce: the loop has work that need not wait.
    ///   - instant: when it has work without a ready descriptor (nanoseconds of CLOCK_BOOTTIME); nil: never.
    func wake(isAtOnce: Bool, at instant: Int64?, _ poll: EpollSet) {
        if readiness == nil { readiness = watch(poll) }
        if isAtOnce { turnSoon() }
        guard instant != alarm else { return }
        alarm = instant
        guard let instant else {
            timer?.cancel()
            return
        }
        let timer =
            timer
            ?? ScheduleTimer { [unowned self] in
                alarm = nil
                EventLoop.turn(meetsDeadlines: true)
            }
        self.timer = timer
        timer.schedule(atBootNanoseconds: instant)
    }

    private func watch(_ poll: EpollSet) -> any DispatchSourceRead {
        let source = DispatchSource.makeReadSource(fileDescriptor: poll.descriptor, queue: .main)
        source.setEventHandler { MainActor.assumeIsolated { EventLoop.turn(meetsDeadlines: false) } }
        source.activate()
        return source
    }

    private func turnSoon() {
        guard !isTurning else { return }
        isTurning = true
        DispatchQueue.main.async {
            MainActor.assumeIsolated {
                self.isTurning = false
                EventLoop.turn(meetsDeadlines: false)
            }
        }
    }
}
