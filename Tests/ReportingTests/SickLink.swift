import Model

@testable import Doctor
@testable import Reporting
@testable import Toggling

/// What `status` and `doctor` print about one link at one moment: it is sick, because NetworkManager has given up on
/// it. The service is on trial: its configuration has `dry-run` for this interface.
enum SickLink {
    private static let name = "wlan0"
    private static let start = Instant(nanoseconds: 1_000_000_000_000)
    private static let now = start + .seconds(40)
    private static let settings: Settings = {
        var settings = Settings()
        settings.isDryRun = true
        return settings
    }()
    private static let ownership = Ownership(
        station: .init([.init(.networkManager, "")]), network: .init([.init(.networkManager, "")]))
    static let condition = OwnerCondition(.networkManager, .gaveUp)
    /// The state of a station that is not associated with any access point.
    static let kernelState = KernelState(
        link: Link(
            index: InterfaceIndex(rawValue: 3), name: name, isUp: true, hasCarrier: false,
            operationalState: .down),
        wireless: Wireless(role: .station, phy: 0))

    /// The toggler and the status of this link, after a run from the service's start until now.
    private static func watched(
        _ kernelState: KernelState = kernelState
    ) -> (toggler: Toggler, interfaceStatus: InterfaceStatus) {
        var toggler = Toggler(runMode: .watch, settings: settings, seed: 1)
        var interfaceStatus = InterfaceStatus(at: start)
        var (instant, events) = (start, [Event.started(isPresent: true)])
        var deadlines: [Deadline: Instant] = [:]
        while true {
            while !events.isEmpty {
                for effect in toggler.handle(events.removeFirst(), at: instant) {
                    switch effect {
                    case .kernelState(let number, let details):
                        events.append(.kernelStateRead(number, reading(kernelState, details)))
                    case .startProbe(let request): events.append(.probeFinished(request.id, silence(request)))
                    case .arm(let deadline, let due): deadlines[deadline] = due
                    case .disarm(let deadline): deadlines[deadline] = nil
                    case .report(let report):
                        _ = interfaceStatus.take(report, about: name, at: instant)
                    default: break
                    }
                }
            }
            guard let next = deadlines.min(by: { $0.value < $1.value }), next.value <= now else { break }
            (deadlines[next.key], instant) = (nil, next.value)
            events = [.deadlineReached(next.key)]
        }
        return (toggler, interfaceStatus)
    }

    private static func silence(_ request: ProbeRequest) -> ProbeResult {
        switch request.question {
        case .neighbour(let address), .icmp(.address(let address)):
            .unanswered(detail: "\(address) did not answer")
        default: .unanswered(detail: "")
        }
    }

    private static func reading(_ kernelState: KernelState, _ details: KernelState.Details) -> KernelState {
        var answer = kernelState
        if details.logins { answer.logins = [] }
        if details.livenessWithin != nil { answer.liveness = [] }
        if details.ownerCondition { answer.ownerCondition = condition }
        return answer
    }

    /// What the service decided at the last check.
    static var lastCheck: CycleReport? { watched().interfaceStatus.lastCheck?.cycle }

    /// The answer to `status`.
    static let answer = answer(watched())

    /// An answer as long as it usually gets: about a link with IPv4 and IPv6, whose gateways are both silent,
    /// after a bounce that did not help.
    static let longAnswer: JSONText = {
        let gateways = ["192.168.178.1", "fe80::1a2b:3cff:fe4d:5e6f"].compactMap { IPAddress($0) }
        let ours = ["192.168.178.27", "2001:db8:7:1:5054:ff:fe12:3456", "2001:db8:7:1:88f2:31ff:fe7d:1c0a"]
        let kernelState = KernelState(
            link: Link(
                index: InterfaceIndex(rawValue: 3), name: name, isUp: true, hasCarrier: true,
                operationalState: .up),
            wireless: Wireless(
                role: .station, phy: 0,
                association: Association(
                    bssid: MACAddress([2, 0, 0, 0, 0, 1])!, ssid: SSID("My home network".utf8),
                    frequency: 5500, station: StationInformation(signal: -61))),
            addresses: ours.compactMap { IPAddress($0) }.map {
                InterfaceAddress(address: $0, prefixLength: $0.isIPv6 ? 64 : 24, reachesBeyondLink: true)
            },
            gateways: gateways.map { Gateway(address: $0, neighbour: Neighbour(state: .failed)) })
        guard case .object(var members) = answer(watched(kernelState)) else { return .null }
        let sick = "no gateway answers: \(gateways.map(\.description).joined(separator: ", "))"
        let action: [(String, JSONText)] = [
            ("action", .string("bounced")), ("ago_ms", .integer(45_000)),
            ("cause", .string("sick at layer gateway: \(sick)")), ("down_ms", .integer(3_000)),
            ("verdict", .string("sick")), ("layer", .string("gateway")), ("reason", .string(sick)),
        ]
        members.removeAll { ["last_action", "actions"].contains($0.0) }
        return .object(members + [("last_action", .object(action)), ("actions", .integer(3))])
    }()

    private static func answer(
        _ service: (toggler: Toggler, interfaceStatus: InterfaceStatus)
    ) -> JSONText {
        let present = StatusJSON.Present(
            interface: name, now: now, state: service.toggler.state, settings: settings, noBounceReasons: [],
            ownership: ownership, instant: HistorySamples.instant(0),
            wallTime: { _ in "2026-02-03T04:05:06.789Z" })
        return StatusJSON(service.interfaceStatus, present).json
    }

    /// The findings of `doctor` about this link.
    static let findings: [SetupFinding] = {
        var facts = InterfaceFacts(name: name, kernelState: kernelState, ownership: ownership)
        facts.ownerCondition = condition
        facts.autoconnectRetries = 2
        var machine = MachineFacts()
        machine.unit = .enabled
        machine.isServiceRunning = true
        machine.country = "00"
        return Diagnosis.findings(machine, [facts])
    }()

    static var status: [String] { StatusText(answer).lines }
    static var longStatus: [String] { StatusText(longAnswer).lines }
    static var doctor: [String] { findings.flatMap(\.lines) }

    /// How many rows these lines fill on a terminal of 80 columns.
    static func rows(_ lines: [String]) -> Int {
        let columns = 80
        return lines.reduce(0) { $0 + max(1, ($1.count + columns - 1) / columns) }
    }
}
