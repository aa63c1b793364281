@testable import Model
@testable import Toggling

extension Referee {
    /// What the toggler's orders have done to the link, and what they still have to undo.
    struct LinkOrders: Hashable {
        /// Whether the toggler has ordered the link down, and the kernel has not reported it up since.
        private(set) var isLowered = false
        /// Whether the toggler has ordered the link down and not raised it since, even if the interface
        /// disappeared.
        private(set) var isOurs = false
        /// Whether the link was raised, and the comparison with the snapshot is still to come.
        private(set) var isOwed = false
        /// Whether a snapshot was taken for the current method.
        private var isRecorded = false
        /// Whether an owner was asked to reconnect, which may destroy as much as a bounce.
        private var isOwnerAsked = false
        /// How many scans were aborted in the current bounce.
        private var abortedScans = 0
        private var commandsInFlight = 0
        private var isRaiseInFlight = false
        private var linkGuard = Guard()
        private(set) var refusals = Refusals()
        /// Whether the reset of the device of a link that cannot be raised was ordered.
        private(set) var isResetOfDown = false

        /// Without times, to compare worlds.
        var timeless: LinkOrders {
            var other = self
            other.refusals = refusals.timeless
            return other
        }

        /// Whether a bounce cannot raise the link, so that the device may be reset, under another guard,
        /// although the link is down.
        func isRefused(in recovery: Case) -> Bool {
            isOurs && recovery.ladder.last == .bounce && refusals.byDevice >= 3 && refusals.since != nil
        }

        // MARK: The toggler's input

        mutating func note(_ event: Event) {
            switch event {
            case .guardArmed: linkGuard.armed()
            case .guardLost where linkGuard.isReady: linkGuard.lost(isRaiseInFlight: isRaiseInFlight)
            case .linkLowered: commandsInFlight -= 1
            case .linkRaised: raised()
            case .snapshotTaken: isRecorded = true
            case .restored: isOwed = false
            default: break
            }
        }

        private mutating func raised() {
            commandsInFlight -= 1
            isRaiseInFlight = false
            isOwed = isLowered
            isLowered = false
            isOurs = false
            isResetOfDown = false
            refusals = Refusals()
        }

        /// - Returns: whether the device of a link that cannot be raised was not reset, so that the method
        ///   before goes on.
        mutating func loweringFailed(_ failure: Failure) -> Bool {
            commandsInFlight -= 1
            let isGone = failure.kind == .noSuchDevice
            if isResetOfDown, !isGone, ![.timedOut, .lost].contains(failure.kind) {
                isResetOfDown = false
                return true
            }
            if isGone || !isResetOfDown && [.notPermitted, .unavailable].contains(failure.kind) {
                isLowered = false
            }
            return false
        }

        mutating func raisingFailed(_ failure: Failure, at now: Instant) {
            commandsInFlight -= 1
            isRaiseInFlight = false
            refusals.note(failure, at: now)
        }

        /// - Parameter isDone: whether the method may have changed something.
        mutating func performed(isDone: Bool) {
            if isOwnerAsked { isOwed = isDone }
            isOwnerAsked = false
        }

        mutating func interfaceGone() {
            isOwed = false
            isLowered = false
            isResetOfDown = false
        }

        /// Nothing can be restored on a link that a user wants down.
        mutating func loweredByOther() { isOwed = false }

        // MARK: The toggler's orders

        mutating func note(_ effect: Effect) {
            switch effect {
            case .takeSnapshot: isRecorded = false
            case .stopPerforming: isOwnerAsked = false
            default: break
            }
        }

        mutating func methodOrdered(isResetOfDown: Bool) { self.isResetOfDown = isResetOfDown }

        /// The rules that lowering the link by this method breaks.
        mutating func judgeLowering(by method: Model.Method?, isSaved: Bool) -> [String] {
            commandsInFlight += 1
            var wrong: [String] = []
            if commandsInFlight > 1 { wrong.append("two commands at once") }
            if isLowered && !isResetOfDown || isOwed { wrong.append("two bounces at once") }
            wrong += linkGuard.judgeLowering(by: method)
            if !isSaved { wrong.append("lowered before that was kept") }
            refusals.lowered(forResetOfDown: isResetOfDown)
            isLowered = true
            isOurs = true
            abortedScans = 0
            return wrong
        }

        /// The rules that raising the link breaks.
        /// - Parameter isPermitted: whether the toggler may raise a link that it did not lower.
        mutating func judgeRaising(isPermitted: Bool) -> [String] {
            commandsInFlight += 1
            isRaiseInFlight = true
            linkGuard.raiseOrdered()
            return (commandsInFlight > 1 ? ["two commands at once"] : [])
                + (isOurs || isPermitted ? [] : ["raises what it did not lower, and no block did"])
        }

        /// The rules that a method breaks that leaves the link up.
        mutating func judgePerforming(_ method: Model.Method) -> [String] {
            var wrong = isLowered || isOwed ? ["performs while the link is in its hands"] : []
            if method == .owner, !isRecorded { wrong.append("nobody knows what the owner may cost") }
            isOwnerAsked = method == .owner
            return wrong
        }

        /// The rules that an aborted scan breaks. The toggler must have lowered the link itself, and be
        /// raising it or have raised it.
        mutating func judgeAbort(in recovery: Case, under settings: Settings) -> [String] {
            abortedScans += 1
            let isOurs = (isLowered && isRaiseInFlight || isOwed) && recovery.ladder.last == .bounce
            return (abortedScans > 1 ? ["aborts two scans in one bounce"] : [])
                + (isOurs ? [] : ["aborts a scan outside of its own bounce"])
                + (settings.fastReconnects ? [] : ["reconnects fast although nobody wants it"])
        }

        // MARK: Orders to the guard

        /// - Parameter isNext: whether the guard replaces the one of a bounce that cannot raise the link.
        mutating func judgeArming(_ order: GuardOrder, isNext: Bool, open: [Effect]) -> [String] {
            defer { linkGuard.order(order.method) }
            return open.contains(where: \.isGuardOrder) && !isNext || linkGuard.isReady && !isNext
                ? ["two guards at once"] : []
        }

        func judgeTelling(_ event: GuardStage) -> [String] {
            switch event {
            case .raised: isLowered ? ["the guard is told of a raise that was not"] : []
            case .lowered: isLowered ? [] : ["the guard is told of a lowering that was not"]
            }
        }

        mutating func judgeDismissal() -> [String] {
            linkGuard.dismissed()
            if isLowered { return ["the guard is dismissed while the link is down"] }
            return isOwed ? ["the guard is dismissed before all was compared"] : []
        }

        // MARK: The toggler's state

        /// The rules that the end of the run breaks.
        /// - Parameter isLacking: whether the kernel refused an item, so that the guard may try again.
        func judgeEnd(isLacking: Bool) -> [String] {
            if isLowered, refusals.failed == 0 { return ["ended with the link down"] }
            return linkGuard.isReady && refusals.failed == 0 && !isLacking ? ["ended with a guard"] : []
        }

        /// The rules that the state after an event breaks, unless the run has ended.
        /// - Parameter awaited: the deadlines that are still to come.
        func judge(_ state: TogglerState, open: [Effect], awaited: Set<Deadline>) -> [String] {
            var wrong: [String] = []
            if isLowered {
                if commandsInFlight == 0, awaited.isDisjoint(with: [.keepDown, .retry]) {
                    wrong.append("down without a deadline to raise")
                }
                if !linkGuard.isReady, !linkGuard.isLost { wrong.append("down without a guard") }
                if linkGuard.isLost, commandsInFlight == 0, !linkGuard.hasRaisedSinceLoss {
                    wrong.append("the guard was lost, and nothing is done about it")
                }
            }
            let isThere = linkGuard.isReady || open.contains(where: \.isGuardOrder)
            if state.bounce?.isGuarded != true, isThere { wrong.append("a guard is left behind") }
            return wrong
        }
    }
}
