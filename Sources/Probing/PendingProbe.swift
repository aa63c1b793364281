import Model
import Platform

/// One question on its way: when it was asked, how long it may take, what has to be released with it, and
/// whom to tell. However it ends, it ends once.
@MainActor final class PendingProbe {
    /// When the present question was asked (it starts anew when a name has been resolved).
    private(set) var asked: Instant
    /// What to say when the time is over; whoever asks sets it.
    var timeIsOver: @MainActor () -> Void = {}

    private let deadline: Instant
    private var timer: TimerSource?
    private var releases: [@MainActor () -> Void] = []
    private var done: (@MainActor (ProbeResult) -> Void)?
    private var hasEnded = false

    init(timeout: Duration, _ done: @escaping @MainActor (ProbeResult) -> Void) {
        asked = Self.now()
        deadline = asked + max(.zero, timeout)
        self.done = done
        let timer = TimerSource { [weak self] in self?.timeIsOver() }
        timer.schedule(atBootNanoseconds: deadline.nanoseconds)
        self.timer = timer
    }

    /// Since the present question was asked.
    var elapsed: Duration { Self.now() - asked }
    /// Until the time is over; zero when it is.
    var remaining: Duration { max(.zero, deadline - Self.now()) }

    /// The question proper begins now; the deadline stays.
    func begin() { asked = Self.now() }

    /// One more wait beyond the deadline, for an answer that costs no packet.
    func extend(by duration: Duration) {
        timer?.schedule(atBootNanoseconds: (Self.now() + duration).nanoseconds)
    }

    /// Keeps something to be released at the end, at once if that is past.
    func atEnd(_ release: @escaping @MainActor () -> Void) {
        if hasEnded { release() } else { releases.append(release) }
    }

    /// The outcome. Everything is released now, and whoever asked is told soon.
    func end(_ result: ProbeResult) {
        guard !hasEnded else { return }
        release()
        EventLoop.soon { self.tell(result) }
    }

    /// Nobody wants to know any more.
    func cancel() {
        done = nil
        if !hasEnded { release() }
    }

    private func tell(_ result: ProbeResult) {
        let done = done
        self.done = nil
        done?(result)
    }

    private func release() {
        hasEnded = true
        timer?.cancel()
        timer = nil
        timeIsOver = {}
        let releases = releases
        self.releases = []
        for release in releases { release() }
    }

    private static func now() -> Instant { Instant(nanoseconds: BootClock.now()) }
}
