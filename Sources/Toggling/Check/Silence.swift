import Model

/// When an ICMP echo has to decide, because an access point with proxy ARP may answer for a dead gateway. Its
/// silence is a fault only if all gateways have answered one in this network: many filter ICMP.
struct Silence: Hashable, Sendable {
    /// nil: the gateway was not reachable in the last check.
    var due: Instant?
    func isDue(at now: Instant) -> Bool { due.map { $0 <= now } ?? false }
    static func window(_ settings: Settings) -> Duration { max(settings.interval * 5, .seconds(30)) }

    /// After one more full check, which ended with this reason.
    static func after(_ check: HealthCheck, _ reason: Reason, last: Silence) -> Silence {
        guard check.gateway?.isGood == true else { return Silence() }
        if reason.isEchoSilence { return last }
        let echoes = check.rounds.asked.filter(\.isAfterSilence)
        // A gateway that filters ICMP is asked once a day.
        let isFiltered = echoes.contains { $0.result?.isNeverAnswered == true }
        let next = check.begun + (isFiltered ? KnownTargets.refreshment : window(check.settings))
        let isOver = check.rounds.hasReply || !echoes.isEmpty
        return Silence(due: isOver ? max(last.due ?? next, next) : last.due ?? next)
    }
}
