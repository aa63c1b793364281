import Model

/// What is remembered of an interface that does not exist.
public struct Absence: Hashable, Sendable {
    /// The items to restore when it is back.
    let snapshot: Snapshot
    /// Whether a method of this program, or a crash of the device in it, may have removed the interface.
    let isOurs: Bool
    /// What this program restores then; nil: nothing.
    let owed: PendingRestore?
    /// The number of the kernel query under way; nil: there is none.
    var query: Int?
    /// Whether the last query has found that the device has lost its interface.
    var isLostByDevice = false
    /// What prevents the reset or the reboot, as last reported; nil: nothing was reported.
    var reported: NoBounceReason?

    public init(_ snapshot: Snapshot = Snapshot(), of bounce: Bounce? = nil, at now: Instant = .boot) {
        (self.snapshot, isOurs) = (snapshot, bounce?.hasRemoved ?? false)
        owed = bounce.flatMap { PendingRestore($0, at: now) }
    }
}

/// Waits until the interface is back, and resets a device that has lost it (`Decision/LostInterface.swift`).
extension Toggler {
    mutating func awaitReturn(_ absence: Absence, next: Instant? = nil, _ effects: inout Effects) {
        guard runMode == .watch else { return finish(.refused(.absent), &effects) }
        enter(.absent(absence))
        // While a method that has removed an interface is at work, announcements of its return are ignored.
        guard seeksInterface || absence.isOurs else { return }
        effects.emit(.arm(.nextCheck, at: next ?? effects.now + Self.absenceSpacing))
    }

    mutating func askForInterface(_ absence: consuming Absence, _ effects: inout Effects) {
        guard seeksInterface || absence.isOurs else { return }
        queries += 1
        absence.query = queries
        let details = KernelState.Details(
            rebootState: isRebootDue(absence, at: effects.now), lossOfInterface: true)
        effects.emit(.kernelState(queries, with: details))
        enter(.absent(absence))
    }

    /// - Parameter answer: see `absenceDecision`.
    mutating func answered(_ answer: KernelState?, _ absence: consuming Absence, _ effects: inout Effects) {
        absence.query = nil
        switch absenceDecision(on: answer, absence, at: effects.now) {
        case .appear(let link): appeared(link, &effects)
        case .askAgain(let next, let isLostByDevice, let reason):
            if absence.isLostByDevice, let reason, !reason.isLike(absence.reported) {
                absence.reported = reason
                effects.report(.notRecovered(.interfaceLost, reason))
            }
            absence.isLostByDevice = isLostByDevice
            lastCheck.fault =
                isLostByDevice ? lastCheck.fault ?? .init(layer: .radio, since: effects.now) : nil
            awaitReturn(absence, next: next, &effects)
        case .recover(let method, let lastState):
            let verdict = lastState.lossVerdict
            let cause = runMode == .toggle ? BounceCause.unconditional : .sick(verdict)
            var bounce = Bounce(cause, before: lastState, Ladder([method]))
            bounce.snapshot = absence.snapshot
            effects.report(.beginning(method, verdict))
            method.takesLinkDown ? arm(bounce, &effects) : perform(bounce, &effects)
        }
    }
}

extension Bounce {
    /// Whether the interface did not exist when the bounce began, and has not come back.
    var seeksInterface: Bool { before.radioCondition?.isLoss == true && raisedAt == nil }
}
