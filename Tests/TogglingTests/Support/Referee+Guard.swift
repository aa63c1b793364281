@testable import Model

extension Referee {
    /// The guard of the current bounce.
    struct Guard: Hashable {
        /// Whether the guard has reported that it is ready, and was neither dismissed nor lost since.
        private(set) var isReady = false
        private(set) var isLost = false
        /// Whether a raise was under way when the guard was lost, or was ordered since.
        private(set) var hasRaisedSinceLoss = false
        /// The methods that the ordered and the ready guard can undo.
        private var ordered, ready: Model.Method?

        mutating func order(_ method: Model.Method) { ordered = method }

        mutating func armed() { (isReady, ready) = (true, ordered) }

        mutating func lost(isRaiseInFlight: Bool) {
            (isReady, isLost, hasRaisedSinceLoss) = (false, true, isRaiseInFlight)
        }

        mutating func raiseOrdered() { hasRaisedSinceLoss = true }

        mutating func dismissed() { self = Guard() }

        /// The rules that lowering the link by this method breaks.
        func judgeLowering(by method: Model.Method?) -> [String] {
            if !isReady { return ["lowered without a guard"] }
            return ready == method ? [] : ["the guard is of another method"]
        }
    }
}
