@testable import Model
@testable import Toggling

extension Referee {
    /// The recoveries of the last day, which the toggler must keep apart and may not exceed in number.
    struct Spacing: Hashable {
        /// When recoveries of the last day first acted on the link; all methods of one ladder count as one.
        private(set) var lowerings: [Instant]
        /// When owners were restarted in the last day, and devices reset because the evidence called for it.
        private var restarts: [Instant] = []
        /// How many bounces this run has made; a one-shot may make one.
        private var count = 0

        /// - Parameter lowerings: when earlier runs made bounces.
        init(lowerings: [Instant]) { self.lowerings = lowerings }

        /// Without times, to compare worlds.
        var timeless: Spacing {
            var other = self
            (other.lowerings, other.restarts, other.count) = ([], [], min(count, 1))
            return other
        }

        /// Counts a recovery when its first method acts on the link.
        mutating func count(_ recovery: inout Case, at now: Instant) {
            guard !recovery.ladder.isEmpty, !recovery.isCounted else { return }
            recovery.isCounted = true
            lowerings.append(now)
            count += 1
        }

        /// The last restart was not available.
        mutating func restartUnavailable() { restarts.removeLast() }

        /// The rules that the next method breaks as a restart, if it counts as one.
        /// - Parameter isResetOfDown: whether it resets the device of a link that cannot be raised.
        mutating func judgeRestart(
            _ method: Model.Method, of recovery: Case, isResetOfDown: Bool, _ runMode: RunMode,
            at now: Instant, under settings: Settings
        ) -> [String] {
            let isLimited = runMode != .toggle && !recovery.isUserRequest
            let isOfDown = isResetOfDown && isLimited
            let isFirst = recovery.first == .reset && recovery.ladder == [.reset]
            let isByEvidence = settings.methods.isEmpty && (isFirst || isOfDown)
            guard method == .restartOwner || method == .reset && isByEvidence else { return [] }
            defer { restarts.append(now) }
            restarts.removeAll { now - $0 >= BounceLimiter.day }
            return isLimited && restarts.count >= LimiterState.mostRestarts
                ? ["a fourth restart in a day"] : []
        }

        /// The rules that the next method breaks, if it is the first of its recovery that acts on the link:
        /// it must keep its distance from earlier recoveries.
        mutating func judge(
            _ recovery: Case, _ runMode: RunMode, at now: Instant, under settings: Settings
        ) -> [String] {
            lowerings = lowerings.filter { now - $0 < BounceLimiter.day }
            guard !recovery.isCounted else { return [] }
            var wrong: [String] = []
            switch runMode {
            // A user's request is not delayed, but its bounce counts for the limits.
            case .watch where recovery.isUserRequest: break
            case .watch where !settings.isForced, .reconnect where !settings.isForced:
                // A reboot that is due need not wait for the back-off.
                let isReboot = recovery.ladder == [.reboot]
                if let last = lowerings.last, now - last < settings.backoff * 9 / 10, !isReboot {
                    wrong.append("two bounces within the back-off: \(now - last)")
                }
                let inHour = lowerings.filter { now - $0 < BounceLimiter.hour }
                if inHour.count >= settings.budget { wrong.append("more bounces than the budget") }
                if lowerings.count >= settings.dailyBudget {
                    wrong.append("more bounces than the day's budget")
                }
            case .toggle, .watch, .reconnect, .probe: break
            }
            if runMode != .watch, count > 0 { wrong.append("a one-shot bounced twice") }
            return wrong
        }
    }
}
