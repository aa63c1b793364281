@testable import Model
@testable import Toggling

extension Referee {
    /// What the toggler's last input permits it to do to the link.
    struct Permission: Hashable {
        /// Whether a bounce may begin.
        private(set) var mayLower = false
        /// Whether the link is down, and may be raised after a block.
        private(set) var mayRaise = false
        /// How many answers in a row said that the device has lost the interface.
        private var answersOfLoss = 0

        /// - Parameters:
        ///   - recovery: the current recovery, which knows the kernel state already.
        ///   - isRequested: whether a user wants a bounce now, whoever uses the link.
        ///   - isTakenDown: whether a block took the link down.
        mutating func note(
            _ kernelState: KernelState, in recovery: Case, isRequested: Bool, isTakenDown: Bool,
            under settings: Settings
        ) {
            let isHeld = kernelState.administrativeHold != nil || kernelState.quietUntil != nil
            // A login prevents a bounce only if logins were requested.
            let isInUse =
                !settings.bouncesInUse && kernelState.logins.map { $0.contains(where: \.isInUse) } ?? true
            let noBounceReason = kernelState.noBounceReason(under: settings)
            // A login prevents neither a restart of systemd-resolved, which does not interrupt the login, nor
            // a reset of a device that has lost its interface. Such a reset needs two kernel states in a row
            // that report the loss.
            let isLost = kernelState.radioCondition?.isLoss == true
            answersOfLoss = isLost ? answersOfLoss + 1 : 0
            let isSpared = isHeld || (isLost ? answersOfLoss < 2 : isInUse && !recovery.isResolvers)
            mayLower = noBounceReason == nil && (isRequested || !isSpared)
            mayRaise =
                noBounceReason == .administrativelyDown && kernelState.administrativeHold == nil
                && isTakenDown
        }

        mutating func note(_ event: Event) {
            switch event {
            case .linkChanged(let link): if !link.isUp { mayLower = false }
            case .radioChanged(let block): if block != .none { (mayLower, mayRaise) = (false, false) }
            case .linkRemoved: mayLower = false
            case .linkAppeared: answersOfLoss = 0
            case .kernelStateFailed(let number, let failure):
                if number > 0, failure.kind == .noSuchDevice { answersOfLoss = 0 }
            default: break
            }
        }

        /// The interface has disappeared, although no method has taken it away.
        mutating func interfaceGone() { mayLower = false }

        /// The toggler has reported that the interface is absent.
        mutating func absenceReported() { answersOfLoss = 0 }
    }
}
