import Model

@testable import Reporting
@testable import Toggling

/// Explanations of verdicts: their evidence, and what follows from it.
enum ReasoningExamples {
    private static let gateway = IPAddress("192.0.2.1")!

    private static func explanation(
        _ verdict: Verdict, _ streak: Int, _ after: Health.Condition, quality: Quality? = nil,
        _ change: (inout Settings) -> Void = { _ in }
    ) -> [String] {
        var settings = Settings()
        change(&settings)
        return Explanation(
            verdict, change: HealthChange(before: after, after: after, streak: streak), settings: settings,
            quality: quality
        ).lines
    }

    /// The last lines of the explanations for these reasons, which say what would change the verdict.
    static func doubts(_ reasons: [Reason]) -> [String] {
        var lines: [String] = []
        for reason in reasons {
            let line = explanation(Verdict(.unknown, reason: reason), 1, .undetermined).last ?? ""
            if !lines.contains(line) { lines.append(line) }
        }
        return lines
    }

    /// The last lines of explanations, which say whether and when a bounce follows.
    static var bounces: [String] {
        let sick = Verdict(.sick, layer: .gateway, reason: .gatewaySilent([gateway]))
        var alive = sick
        alive.evidence = [.liveness(Liveness(peer: gateway, manner: .connectionBeyond, heard: .seconds(3)))]
        let echo = Verdict(
            .sick, layer: .gateway, reason: .gatewayEchoSilent([gateway], over: .seconds(300)))
        let internet = Verdict(.sick, layer: .internet, reason: .noAnswerFromSystem)
        let healthy = Verdict(.healthy, reason: .nothingWrongInKernel)
        let lossy = Quality(
            probes: 20, lost: 6, roundTrip: .milliseconds(640), degradations: [.loss], savesPower: true,
            streakBeyondChance: 6)
        let explanations = [
            explanation(healthy, 3, .healthy), explanation(healthy, 1, .sick),
            explanation(healthy, 3, .healthy, quality: lossy), explanation(sick, 1, .healthy),
            explanation(sick, 1, .healthy, quality: lossy), explanation(echo, 1, .healthy),
            explanation(alive, 1, .healthy), explanation(internet, 3, .sick),
            explanation(sick, 3, .sick) { $0.isForced = true },
            explanation(Verdict(.unknown, reason: .noAnswerFromSystem), 1, .healthy),
        ]
        return explanations.flatMap { ["|- …"] + $0.filter { !$0.contains(": not asked") } }
    }

    /// Each kind of evidence, as `probe` shows it.
    static var evidence: [String] {
        let silence = Failure(kind: .timedOut, description: "the kernel did not answer")
        let host = ProbeRequest.Question.tcp(.name("www.example.net"), port: 443)
        let station = StationInformation(
            signal: -51, inactive: .milliseconds(30), connected: .seconds(3600), sendFailures: 4,
            beaconLosses: 2)
        let association = Association(
            bssid: MACAddress([2, 0, 0, 0, 0, 1])!, ssid: SSID("home".utf8), frequency: 5500, station: station
        )
        let address = InterfaceAddress(
            address: IPAddress("192.0.2.7")!, prefixLength: 24, reachesBeyondLink: true, isTentative: true)
        let neighbour = Neighbour(state: .reachable, macAddress: nil, confirmed: .seconds(2))
        let entries: [Neighbour.State] = [
            .none, .incomplete, .stale, .delay, .probe, .failed, .noARP, .permanent,
        ]
        let manners: [Liveness.Manner] = [.connection, .connectionBeyond, .neighbour]
        let bridge = Port.Device(index: InterfaceIndex(rawValue: 8), name: "br0")
        let ports = Port.Traffic.allCases.map {
            Evidence.port(
                Port(
                    master: InterfaceIndex(rawValue: 9), masterName: $0 == .unknown ? nil : "bond0",
                    kind: $0 == .unknown ? .openvswitch : .bond, traffic: $0,
                    upper: $0 == .masters ? bridge : nil))
        }
        let states: [OperationalState] = [
            .unknown, .notPresent, .down, .lowerLayerDown, .testing, .dormant, .up,
        ]
        return EvidenceTable.lines(
            [RadioBlock.none, .soft, .hard].map { .radio($0) }
                + [.administrative(isUp: false)]
                + states.map { .operational($0, hasCarrier: $0 == .up) }
                + [.association(association), .association(nil)] + ports
                + [
                    .addresses([address]), .addresses([]), .gateways([]),
                    .gateways([Gateway(address: gateway, neighbour: neighbour)]),
                ]
                + entries.map {
                    .gateways([Gateway(address: gateway, neighbour: Neighbour(state: $0, macAddress: nil))])
                }
                + [
                    .traffic(received: 0, sent: 12, over: .seconds(60))
                ]
                + manners.map { .liveness(Liveness(peer: gateway, manner: $0, heard: .seconds(3))) }
                + [
                    .probe(host, .neverAnswered(detail: "192.0.2.80:443 did not answer")),
                    .probe(host, .unknown(silence)),
                ])
    }
}
