import Model
import Toggling

// What was decided, in a trace: one line each that says the same of the same decision for ever, whatever the
// sentences for people become. Times are in seconds from the event on.

extension Effect {
    /// - Parameter now: when it was decided.
    func words(at now: Instant) -> String {
        switch self {
        case .kernelState(let number): "kernel state \(number)"
        case .kernelStateWithLogins(let number): "kernel state with logins \(number)"
        case .kernelStateWithLiveness(let number, let duration):
            "kernel state with logins \(number), heard within \(duration.secondsText) s"
        case .kernelStateWithPowerSave(let number): "kernel state with power save \(number)"
        case .startProbe(let request):
            "probe \(request.id): \(request.question.words), \(request.timeout.secondsText) s"
        case .cancelProbe(let id): "cancel probe \(id)"
        case .takeSnapshot: "take snapshot"
        case .takeBaseline: "take baseline"
        case .directedScan(let accessPoint): "directed scan: \(accessPoint.words)"
        case .armGuard(let order): "arm guard: \(order.words)"
        case .tellGuard(let stage): "tell guard: \(stage)"
        case .disarmGuard: "disarm guard"
        case .lowerLink(let method): "lower link" + method.unlessBounce
        case .raiseLink(let method): "raise link" + method.unlessBounce
        case .perform(let method): "perform \(method.rawValue)"
        case .stopPerforming: "stop performing"
        case .abortScan(let accessPoint, let since):
            "abort scan for \(accessPoint.words), heard within \((now - since).secondsText) s"
        case .resolveNeighbours(let addresses):
            "resolve neighbours " + addresses.map(\.description).joined(separator: ", ")
        case .restore(let snapshot, let puttingBack):
            "\(puttingBack ? "put back" : "compare") \(snapshot.items.count) items"
        case .arm(let deadline, let at): "arm \(deadline) in \((at - now).secondsText) s"
        case .disarm(let deadline): "disarm \(deadline)"
        case .remember(let knownTargets):
            "remember \(knownTargets.entries.count), last " + (knownTargets.entries.last?.target ?? "none")
        case .rememberBounces(let memory): "remember bounces: " + memory.words(at: now)
        case .report(let report): "report " + report.words(at: now)
        case .finish(let outcome): "finish: " + outcome.words(at: now)
        }
    }
}

extension SavedLimiter {
    fileprivate func words(at now: Instant) -> String {
        "\(bounces.count), \(bouncesInOutage) in the outage"
            + (earliest.map { ", next in \(($0 - now).secondsText) s" } ?? "")
            + (healthySince.map { ", healthy for \((now - $0).secondsText) s" } ?? "")
            + (useless > 0 ? ", \(useless) useless" : "")
    }
}

extension AccessPoint {
    fileprivate var words: String { "\(bssid) \(ssid) on \(frequency) MHz" }
}

extension GuardOrder {
    fileprivate var words: String {
        "\(snapshot.items.count) items, hold \(hold.secondsText) s, settle \(settle.secondsText) s"
            + (restores ? "" : ", nothing put back") + method.unlessBounce
    }
}

extension Method {
    /// The plain one is not named: it was the only one once.
    fileprivate var unlessBounce: String { self == .bounce ? "" : " by \(rawValue)" }
}

extension ProbeRequest.Question {
    fileprivate var words: String {
        switch self {
        case .neighbour(let address): "neighbour \(address)"
        case .icmp(let target): "icmp \(target)"
        case .tcp(let target, let port): "tcp \(target) \(port)"
        case .dns(let name, let server): "dns \(name)" + (server.map { " at \($0)" } ?? "")
        case .http(let question): "http \(question.url)"
        case .command(let path): "command \(path)"
        }
    }
}

extension Failure {
    fileprivate var decided: String { "\(kind) \(code)" }
}

extension Duration {
    /// Whole seconds and as many digits behind the point as there are.
    var secondsText: String {
        let (whole, rest) = nanoseconds.magnitude.quotientAndRemainder(dividingBy: 1_000_000_000)
        let sign = nanoseconds < 0 ? "-" : ""
        guard rest > 0 else { return sign + String(whole) }
        var digits = String(1_000_000_000 + rest).dropFirst()
        while digits.last == "0" { digits.removeLast() }
        return "\(sign)\(whole).\(digits)"
    }
}

// MARK: Reports

extension Report {
    fileprivate func words(at now: Instant) -> String {
        switch self {
        case .watching(let settings, let first):
            "watching every \(settings.interval.secondsText) s, first in \((first - now).secondsText) s"
        case .cycle(let cycle): "cycle: " + cycle.words(at: now)
        case .step(let step): "step: " + step.words(at: now)
        }
    }
}

extension Report.Step {
    fileprivate func words(at now: Instant) -> String {
        switch self {
        case .beginning(.bounce, let verdict): "bouncing, " + (verdict?.words ?? "asked for")
        case .beginning(let method, let verdict):
            "beginning with \(method.rawValue), " + (verdict?.words ?? "asked for")
        case .escalating(let last, let next, let verdict):
            "climbing from \(last.rawValue) to \(next.rawValue), \(verdict.words)"
        case .passedOver(let method, let step, let failure, let next):
            "passed over \(method.rawValue), \(step), \(failure.decided), next \(next?.rawValue ?? "none")"
        case .lowered(let hold): "lowered, hold \(hold.secondsText) s"
        case .raisingAfterBlock: "raising after block"
        case .raisedByOther: "raised by other"
        case .guardLost: "guard lost"
        case .raised(let duration): "raised after \(duration.secondsText) s"
        case .loweredByOther: "lowered by other"
        case .scanAborted(let ago): "scan cut short, heard \(ago.secondsText) s ago"
        case .operational(let after): "operational after \(after.secondsText) s"
        case .ownerOverdue(let addressOwner, let missing):
            "keeper overdue, \(addressOwner.rawValue), \(missing.count) missing"
        case .restoredLate(let restored, let givenUp):
            "made good, \(restored.count) restored, \(givenUp.count) given up"
        case .raiseFailed(let failure, let retryAt):
            "raise failed, \(failure.decided), "
                + (retryAt.map { "again in \(($0 - now).secondsText) s" } ?? "given up")
        case .absent: "absent"
        case .appeared: "appeared"
        case .finishing: "finishing"
        }
    }
}

extension CycleReport {
    fileprivate func words(at now: Instant) -> String {
        let next = next.map { "\($0.why) in \(($0.at - now).secondsText) s" } ?? "none"
        return "\(verdict.words); \(action.words(at: now)); health \(change.before) to \(change.after), "
            + "\(change.streak) in a row; next \(next)" + (quality.map(\.words) ?? "")
    }
}

extension Quality {
    /// A link that is fine is not worth a word.
    fileprivate var words: String {
        guard isDegraded else { return "" }
        return "; degraded by \(degradations.map(\.rawValue).joined(separator: " and ")),"
            + " \(lost) of \(probes) lost, median \(roundTrip.secondsText) s"
            + (savesPower.map { ", power save \($0 ? "on" : "off")" } ?? "")
    }
}

extension CycleReport.Action {
    fileprivate func words(at now: Instant) -> String {
        switch self {
        case .none: "no action"
        case .bounced(let summary): "bounced, " + summary.words
        case .raised(let summary): "raised, " + summary.words
        case .failed(let step, let failure): "failed \(step), \(failure.decided)"
        case .held(let noBounceReason): "held, " + noBounceReason.words(at: now)
        case .skipped(let noBounceReason): "skipped, " + noBounceReason.words(at: now)
        case .refused(let noBounceReason): "refused, " + noBounceReason.words(at: now)
        }
    }
}

extension BounceSummary {
    fileprivate var words: String {
        (methods == [.bounce] ? "" : methods.map(\.rawValue).joined(separator: " ") + ", ")
            + "down \(down.secondsText) s, "
            + (recovery.map { "recovered in \($0.secondsText) s" } ?? "not recovered")
            + ", lost \(restoration.lost.count), restored \(restoration.restored.count)"
            + ", refused \(restoration.refused.count)"
    }
}

extension NoBounceReason {
    fileprivate func words(at now: Instant) -> String {
        switch self {
        case .radioBlocked(let block): "radio blocked \(block)"
        case .administrativelyDown: "administratively down"
        case .notWireless: "not wireless"
        case .notStation: "not a station"
        case .absent: "absent"
        case .cannotHelp(let layer): "cannot help" + (layer.map { " at \($0.rawValue)" } ?? "")
        case .backingOff(let until): "backing off for \((until - now).secondsText) s"
        case .budgetSpent(let until): "budget spent for \((until - now).secondsText) s"
        case .useless(let bounces, let until):
            "\(bounces) useless bounces, for \((until - now).secondsText) s"
        case .early(let until): "early for \((until - now).secondsText) s"
        case .awaitingCAC(let frequency, let until):
            "awaiting CAC on \(frequency) MHz for \((until - now).secondsText) s"
        case .quiet(let until): "quiet for \((until - now).secondsText) s"
        case .inUse(let peer, let others): "in use from \(peer) and \(others) more"
        case .onHold(.until(let end)): "inhibited for \((end - now).secondsText) s"
        case .onHold(.untilReleased): "inhibited"
        case .alive(let sign): "alive by \(sign.manner) \(sign.peer), \(sign.heard.secondsText) s ago"
        case .dryRun: "dry run"
        }
    }
}

extension RunOutcome {
    fileprivate func words(at now: Instant) -> String {
        switch self {
        case .healthy: "healthy"
        case .sick: "sick"
        case .unknown: "unknown"
        case .refused(let noBounceReason): "refused, " + noBounceReason.words(at: now)
        case .failed(let step, let failure): "failed \(step), \(failure.decided)"
        case .interrupted: "interrupted"
        }
    }
}

// MARK: Verdicts

extension Verdict {
    fileprivate var words: String {
        "\(conclusion.rawValue)\(layer.map { " at \($0.rawValue)" } ?? ""), \(reason.words)"
    }
}

extension Reason {
    fileprivate var words: String {
        switch self {
        case .gatewayConfirmed(let address, let ago): "gateway \(address) confirmed \(ago.secondsText) s ago"
        case .probeAnswered(let question): "answered \(question.words)"
        case .nothingWrongInKernel: "nothing wrong in kernel"
        case .radioBlocked(let block): "radio blocked \(block)"
        case .administrativelyDown: "administratively down"
        case .notAssociated: "not associated"
        case .ssidNotFound(let ssid, let others, let ago):
            "network \(ssid) not in the air, \(others) others, \(ago.secondsText) s ago"
        case .disconnectedLocally: "left network"
        case .notAuthorised(let state): "not authorised, \(state)"
        case .noCarrier: "no carrier"
        case .noAddress: "no address"
        case .addressNotReady: "address not ready"
        case .gatewaySilent(let addresses): "gateway silent " + Self.list(addresses.map(\.description))
        case .gatewayRouteLost(let addresses):
            "gateway route lost " + Self.list(addresses.map(\.description))
        case .targetSilent(let questions): "target silent " + Self.list(questions.map(\.words))
        case .nameServerSilent(let questions): "name server silent " + Self.list(questions.map(\.words))
        case .answerWrong(let question, let detail): "answer wrong \(question.words): \(detail)"
        case .portal(let question, let detail): "portal \(question.words): \(detail)"
        case .noGateway: "no gateway"
        case .couldNotAsk(let failure): "could not ask, \(failure.decided)"
        case .neverAnswered(let question): "unfamiliar \(question.words)"
        case .commandUndecided(let path, let failure): "command undecided \(path), \(failure.decided)"
        case .kernelStateFailed(let failure): "kernel state failed, \(failure.decided)"
        case .noAnswerFromSystem: "no answer from system"
        case .notVerified: "not verified"
        }
    }

    private static func list(_ words: [String]) -> String { words.joined(separator: ", ") }
}
