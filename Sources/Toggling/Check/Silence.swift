import Model

/// When an ICMP echo must test a gateway: its answers to neighbour probes may come from an access point with
/// proxy ARP. Many gateways filter ICMP, so silence counts only if all have answered echoes here before.
struct Silence: Hashable, Sendable {
    /// When the echo is due; nil: the gateway was not confirmed in the last check.
    var due: Instant?

    func isDue(at now: Instant) -> Bool { due.map { $0 <= now } ?? false }

    /// How long the link must have been silent.
    static func window(_ settings: Settings) -> Duration { max(settings.interval * 5, .seconds(30)) }

    /// The state after one more full check, which ended with this reason.
    static func after(_ check: HealthCheck, _ reason: Reason, last: Silence) -> Silence {
        guard check.gateway?.isGood == true else { return Silence() }
        if reason.isEchoSilence { return last }
        let echoes = check.rounds.asked.filter(\.isAfterSilence)
        // A gateway that filters ICMP is sent an echo only once a day.
        let isFiltered = echoes.contains { $0.result?.isNeverAnswered == true }
        let next = check.begun + (isFiltered ? KnownTargets.refreshment : window(check.settings))
        let isOver = check.rounds.hasReply || !echoes.isEmpty
        return Silence(due: isOver ? max(last.due ?? next, next) : last.due ?? next)
    }
}
