import Model
import Platform

/// A probe under way, with its time of sending, its deadline, the resources to release, and the completion.
/// It ends exactly once.
@MainActor final class PendingProbe {
    /// When the current request was sent: at first the time of creation, then that of the last ``begin()``.
    private(set) var asked: Instant
    /// Called at the deadline. Each kind of probe sets its own closure.
    var timeIsOver: @MainActor () -> Void = {}

    private let deadline: Instant
    private var timer: TimerSource?
    private var releases: [@MainActor () -> Void] = []
    private var done: (@MainActor (ProbeResult) -> Void)?
    private var hasEnded = false

    init(timeout: Duration, _ done: @escaping @MainActor (ProbeResult) -> Void) {
        asked = .now
        deadline = asked + max(.zero, timeout)
        self.done = done
        let timer = TimerSource { [weak self] in self?.timeIsOver() }
        timer.schedule(at: deadline)
        self.timer = timer
    }

    /// The time since the current request was sent.
    var elapsed: Duration { Instant.now - asked }
    /// The time until the deadline; zero after it.
    var remaining: Duration { max(.zero, deadline - .now) }

    /// Sets the time of sending to now. The deadline stays.
    func begin() { asked = .now }

    /// Schedules ``timeIsOver`` once more, after this duration, to wait for an answer that needs no packet on
    /// the network. ``remaining`` stays as it is.
    func extend(by duration: Duration) {
        timer?.schedule(after: duration)
    }

    /// Registers a closure that releases a resource at the end. Calls it at once if the probe has ended.
    func atEnd(_ release: @escaping @MainActor () -> Void) {
        if hasEnded { release() } else { releases.append(release) }
    }

    /// Ends the probe with a result. Releases all resources now; the completion runs soon.
    func end(_ result: ProbeResult) {
        guard !hasEnded else { return }
        release()
        EventLoop.soon { self.tell(result) }
    }

    /// Ends the probe without calling the completion.
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
}
