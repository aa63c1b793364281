@testable import Model

extension Referee {
    /// The raises that have failed since the link was lowered.
    struct Refusals: Hashable {
        private(set) var failed = 0
        /// How many of them the device has refused. The reset of a device that does so does not end the count.
        private(set) var byDevice = 0
        /// Since when the device has refused all of them; nil: the last one had another error, or there was none.
        private(set) var since: Instant?

        mutating func note(_ failure: Failure, at now: Instant) {
            failed += 1
            if failure.isOfDevice { byDevice += 1 }
            since = failure.isOfDevice ? since ?? now : nil
        }

        mutating func lowered(forResetOfDown isReset: Bool) {
            since = nil
            if !isReset { byDevice = 0 }
        }

        /// The refusals without times, to compare worlds.
        var timeless: Refusals {
            Refusals(failed: min(failed, 3), byDevice: min(byDevice, 3), since: since.map { _ in .boot })
        }
    }
}
