import Model

/// The action that follows from a verdict.
enum Decision {
    /// No action is needed.
    case nothing
    /// Bounce for this cause.
    case bounce(BounceCause, KernelState)
    /// The second half of a bounce: an rfkill block that was lifted has left the link down.
    case raise(KernelState)
    /// No bounce, or not now; reported with this verdict.
    case not(CycleReport.Action, Verdict)
    /// A bounce is due, but the kernel state is too old, or lacks details that a bounce requires: query the
    /// kernel again.
    case askOnceMore(BounceCause)
}

/// Whether to bounce, and if not, why. All conditions are here; the first that applies decides.
extension Toggler {
    /// The largest age of a kernel state at the beginning of a bounce.
    private static let kernelStateLifetime: Duration = .milliseconds(100)
    /// The slowest network manager or DHCP client that was measured had its routes back 8.9 s after it began
    /// to join.
    private static let joining: Duration = .seconds(10)

    func decision(_ verdict: Verdict, _ check: HealthCheck, at now: Instant) -> Decision {
        guard runMode != .probe, let kernelState = check.kernelState else { return .nothing }
        if let reason = kernelState.noBounceReason(under: settings) {
            let isRaiseDue = rfkillTracker.raiseDue.map { $0 <= now } ?? false
            guard reason == .administrativelyDown, isRaiseDue else { return .not(.refused(reason), verdict) }
            return raiseDecision(verdict, kernelState, at: now)
        }
        guard let cause = check.cause ?? cause(verdict, check) else { return .nothing }
        let told = cause.verdict ?? verdict
        if let reason = administratorsReason(to: cause, kernelState, at: now) {
            return .not(.held(reason), told)
        }
        if case .sick(let verdict) = cause {
            guard verdict.callsForBounce(on: settings.bouncedLayers) else {
                return .not(.skipped(.cannotHelp(verdict.layer)), told)
            }
            if let reason = reasonToWait(verdict, kernelState, at: now) { return .not(.held(reason), told) }
        }
        let age = now - (check.kernelStateAt ?? check.begun)
        let needsMore = sparesUsers(from: cause) || livenessWindow(for: cause, at: now) != nil
        if age > Self.kernelStateLifetime || needsMore && check.cause == nil { return .askOnceMore(cause) }
        if sparesUsers(from: cause), let reason = kernelState.use { return .not(.held(reason), told) }
        if let liveness = check.liveness(in: kernelState) {
            return .not(.held(.alive(liveness)), told.with(.liveness(liveness)))
        }
        if settings.isDryRun { return .not(.skipped(.dryRun), told) }
        return .bounce(cause, kernelState)
    }

    private func raiseDecision(_ verdict: Verdict, _ kernelState: KernelState, at now: Instant) -> Decision {
        if let hold = kernelState.administrativeHold, hold.holds(at: now) {
            return .not(.held(.onHold(hold)), verdict)
        }
        return settings.isDryRun ? .not(.skipped(.dryRun), verdict) : .raise(kernelState)
    }

    /// Whether the next method of the ladder may be tried. Back-off, budget and grace do not apply: a ladder is one bounce.
    func mayEscalate(_ check: HealthCheck, at now: Instant) -> Bool {
        guard let kernelState = check.kernelState, let cause = check.cause else { return false }
        return kernelState.noBounceReason(under: settings) == nil
            && administratorsReason(to: cause, kernelState, at: now) == nil
            && (!sparesUsers(from: cause) || kernelState.use == nil) && check.liveness(in: kernelState) == nil
    }

    // MARK: Causes of a bounce

    /// Whether every check that a tick caused leads to a bounce, whatever the verdict.
    var isUnconditional: Bool {
        switch runMode {
        case .toggle: true
        case .watch, .reconnect: settings.isForced
        case .probe: false
        }
    }

    /// The cause of a bounce; nil: there is none.
    private func cause(_ verdict: Verdict, _ check: HealthCheck) -> BounceCause? {
        // The plain timer keeps its schedule, whatever checks happen in between.
        if isUnconditional { return check.isUnscheduled ? nil : .asked }
        return verdict.conclusion == .sick && health.isSick(fall: fall) ? .sick(verdict) : nil
    }

    // MARK: Reasons against a bounce

    /// A user who runs `toggle` wants exactly this bounce.
    private func administratorsReason(to cause: BounceCause, _ kernelState: KernelState, at now: Instant)
        -> NoBounceReason?
    {
        if isByHand(cause) { return nil }
        if let hold = kernelState.administrativeHold, hold.holds(at: now) { return .onHold(hold) }
        if let until = kernelState.quietUntil, now < until { return .quiet(until: until) }
        return nil
    }

    /// Why a sick link is not bounced for a while.
    private func reasonToWait(
        _ verdict: Verdict, _ kernelState: KernelState, at now: Instant
    ) -> NoBounceReason? {
        if verdict.layer == .association, let silence = lastNetwork?.awaitedCAC, now < silence.until {
            return .awaitingCAC(frequency: silence.frequency, until: silence.until)
        }
        let waits = [
            graceEnd, lastNetwork?.joiningUntil, localDisconnect.joiningUntil,
            joiningEnd(kernelState, at: now),
        ]
        if let until = waits.compactMap(\.self).first(where: { now < $0 }) { return .early(until: until) }
        return limiter.noBounceReason(at: now, budget: settings.budget)
    }

    /// The end of the grace; nil: a one-shot has none, because whoever starts it chooses the time.
    private var graceEnd: Instant? {
        runMode == .watch ? (appearedAt ?? .boot) + settings.grace : nil
    }

    /// A station that has just joined is still exchanging keys or getting an address: a bounce would
    /// interrupt it.
    private func joiningEnd(_ kernelState: KernelState, at now: Instant) -> Instant? {
        guard runMode == .watch, let connected = kernelState.wireless?.association?.station.connected else {
            return nil
        }
        return now + (Self.joining - connected)
    }

    /// A user who toggles by hand knows who is logged in, possibly the user alone.
    func sparesUsers(from cause: BounceCause) -> Bool { !isByHand(cause) && !settings.bouncesInUse }

    private func isByHand(_ cause: BounceCause) -> Bool { runMode == .toggle || cause.isPersons }
}

extension KernelState {
    /// The reason that forbids a bounce whatever the verdict; nil: there is none.
    func noBounceReason(under settings: Settings) -> NoBounceReason? {
        if !settings.allowsAnyInterface {
            guard let wireless else { return .notWireless }
            guard wireless.role == .station else { return .notStation(wireless.role) }
        }
        if radio != .none { return .radioBlocked(radio) }
        return link.isUp ? nil : .administrativelyDown
    }

    /// Why a bounce would disturb a user; nil: it would not, or this was not requested.
    var use: NoBounceReason? {
        let peers = Set((logins ?? []).filter(\.isInUse).map(\.peer)).sorted {
            $0.bytes.lexicographicallyPrecedes($1.bytes)
        }
        return peers.first.map { .inUse(from: $0, others: peers.count - 1) }
    }
}
