import Model
import Platform

/// One probe under way: when it was sent, its time limit, what must be released with it, and its completion.
/// It ends exactly once.
@MainActor final class PendingProbe {
    /// When the current request was sent (it starts anew after a name was resolved).
    private(set) var asked: Instant
    /// Called at the time-out; the kind of probe sets it.
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

    /// Since the current request was sent.
    var elapsed: Duration { Self.now() - asked }
    /// Until the time-out; zero after it.
    var remaining: Duration { max(.zero, deadline - Self.now()) }

    /// The request itself starts now; the deadline stays.
    func begin() { asked = Self.now() }

    /// Extends the deadline once, for an answer that costs no packet.
    func extend(by duration: Duration) {
        timer?.schedule(atBootNanoseconds: (Self.now() + duration).nanoseconds)
    }

    /// Registers something to release at the end; releases it at once if the probe has ended.
    func atEnd(_ release: @escaping @MainActor () -> Void) {
        if hasEnded { release() } else { releases.append(release) }
    }

    /// The result. Everything is released now, and the completion runs soon.
    func end(_ result: ProbeResult) {
        guard !hasEnded else { return }
        release()
        EventLoop.soon { self.tell(result) }
    }

    /// The result is not wanted any more.
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
