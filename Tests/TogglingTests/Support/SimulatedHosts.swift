@testable import Model
@testable import Toggling

/// The hosts that a toggler probes in a virtual world: the gateways of its link, and others.
struct SimulatedHosts {
    /// How long an echo takes whose result `echoes` decides, and a probe that cannot be sent.
    private static let latency: Duration = .milliseconds(1)

    /// Whether probes can be sent at all.
    var mayProbe = true
    var gatewayAnswers = true
    /// The results of ICMP echoes to gateways, while `gatewayAnswers`. A gateway without an entry answers.
    var echoes: [IPAddress: ProbeResult] = [:]
    /// Whether other probed hosts answer.
    var targetAnswers = true
    var roundTrip: Duration = .milliseconds(3)
    /// Called for each probe that would be answered, unless `echoes` decides: whether it is lost on its way.
    var isLost: () -> Bool = { false }

    /// The result of a probe that begins now, and after which time it is known.
    func answer(
        to request: ProbeRequest, gateways: [IPAddress]
    ) -> (result: ProbeResult, after: Duration) {
        guard mayProbe else { return (Sample.blocked, Self.latency) }
        if gatewayAnswers, let gateway = gateways.first(where: { request.question == .icmp(.address($0)) }),
            let echo = echoes[gateway]
        {
            return (echo, echo == Sample.silent ? request.timeout : Self.latency)
        }
        let isGateways = gateways.contains { request.question.isAsked(of: $0) }
        return gatewayAnswers && (isGateways || targetAnswers) && !isLost()
            ? (.answered(roundTrip: roundTrip, detail: "reachable"), roundTrip)
            : (Sample.silent, request.timeout)
    }
}

extension ProbeRequest.Question {
    fileprivate func isAsked(of gateway: IPAddress) -> Bool {
        self == .neighbour(gateway) || self == .icmp(.address(gateway))
    }
}
