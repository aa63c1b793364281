import Model

/// What is remembered of an interface that does not exist.
public struct Absence: Hashable, Sendable {
    /// The items to restore when it is back.
    var snapshot = Snapshot()
    /// The number of the kernel query under way; nil: there is none.
    var query: Int?
    /// Whether the last query has found that the device has lost its interface.
    var isLostByDevice = false

    public init(_ snapshot: Snapshot = Snapshot()) { self.snapshot = snapshot }
}

/// Brings back an interface that its device has lost, although nobody unplugged the device: resets the device.
extension Toggler {
    /// The time between two queries. The device is reset if two queries in a row find it without its
    /// interface, so that a driver that restarts, or a device just plugged in, is not interrupted.
    static let absenceSpacing: Duration = .seconds(15)

    /// Whether a lost interface is brought back: in the service only with `auto`, and not if the link was set
    /// down or blocked before; in a toggle, if its user names the method `reset` alone.
    var seeksInterface: Bool {
        if settings.isDryRun { return false }
        if runMode == .toggle { return settings.methods == [.reset] }
        return settings.methods.isEmpty && !settings.isForced
            && lastVerdict.map { $0.layer != .radio } ?? false
    }

    mutating func awaitReturn(_ absence: Absence, next: Instant? = nil, _ effects: inout Effects) {
        guard runMode == .watch else { return finish(.refused(.absent), &effects) }
        enter(.absent(absence))
        guard seeksInterface else { return }
        effects.emit(.arm(.nextCheck, at: next ?? effects.now + Self.absenceSpacing))
    }

    mutating func askForInterface(_ absence: consuming Absence, _ effects: inout Effects) {
        guard seeksInterface else { return }
        queries += 1
        absence.query = queries
        effects.emit(.deviceState(queries))
        enter(.absent(absence))
    }

    /// - Parameter answer: the state of the interface, the last one if its device lost it; nil: none.
    mutating func answered(
        _ answer: KernelState?, _ absence: consuming Absence, _ effects: inout Effects
    ) {
        absence.query = nil
        let later = effects.now + max(settings.interval, Self.absenceSpacing)
        let isLost = answer?.radioCondition?.isLoss == true && answer?.noBounceReason(under: settings) == nil
        guard let answer, isLost, seeksInterface else {
            // The interface has come back, and was announced during a bounce that failed.
            if let answer, answer.radioCondition?.isLoss != true { return appeared(answer.link, &effects) }
            absence.isLostByDevice = false
            return awaitReturn(absence, next: later, &effects)
        }
        let reason =
            answer.orderToWait(at: effects.now) ?? limiter.noRestartReason(at: effects.now)
            ?? limiter.noBounceReason(at: effects.now, settings)
        // A toggle is an order: it does not wait.
        guard runMode == .toggle || absence.isLostByDevice && reason == nil else {
            absence.isLostByDevice = true
            // A hold may be released before its end.
            let end = reason.map { $0.end?.at ?? later } ?? effects.now
            let next = max(effects.now + Self.absenceSpacing, min(later, end))
            return awaitReturn(absence, next: next, &effects)
        }
        let verdict = Verdict(.sick, layer: .radio, reason: .interfaceLost, evidence: answer.conditions)
        let cause = runMode == .toggle ? BounceCause.unconditional : .sick(verdict)
        var bounce = Bounce(cause, before: answer, Ladder([.reset]))
        bounce.snapshot = absence.snapshot
        effects.report(.beginning(.reset, verdict))
        arm(bounce, &effects)
    }
}

extension Bounce {
    /// Whether the interface did not exist when the bounce began, and has not come back.
    var seeksInterface: Bool { before.radioCondition?.isLoss == true && raisedAt == nil }
}
