import Model

@testable import Reporting
@testable import Toggling

/// What `status` and `doctor` print about a link that is sick in spite of a bounce, on a machine with a usual set-up.
enum SickLink {
    private static let start = Instant(nanoseconds: 1_000_000_000_000)
    private static let gateway = IPAddress("192.0.2.1")!
    private static let verdict = Verdict(
        .sick, layer: .gateway, reason: .gatewaySilent([gateway]),
        evidence: [
            .radio(.none), .administrative(isUp: true),
            .association(
                Association(
                    bssid: MACAddress([2, 0, 0, 0, 0, 1])!, ssid: SSID("home".utf8), frequency: 5180,
                    station: StationInformation(
                        signal: -67, inactive: .milliseconds(120), connected: .seconds(7200)))),
            .operational(.up, hasCarrier: true),
            .addresses([
                InterfaceAddress(
                    address: IPAddress("192.0.2.7")!, prefixLength: 24, reachesBeyondLink: true)
            ]),
            .gateways([
                Gateway(address: gateway, neighbour: Neighbour(state: .stale, confirmed: .seconds(190)))
            ]),
            .traffic(received: 0, sent: 42, over: .seconds(60)),
            .probe(.neighbour(gateway), .unanswered(detail: "no answer in 2s")),
            .probe(.icmp(.address(gateway)), .unanswered(detail: "no answer in 2s")),
        ])

    /// The lines of `status`.
    static var status: [String] {
        var interfaceStatus = InterfaceStatus(at: start)
        interfaceStatus.take(cycle(.none), at: at(60))
        interfaceStatus.take(.step(.beginning(.bounce, verdict)), at: at(70))
        interfaceStatus.take(
            cycle(
                .bounced(
                    BounceSummary(
                        down: .seconds(3), recovery: nil, restoration: Restoration(), methods: [.bounce]))),
            at: at(105))
        let next = NextCheck(at: at(165), why: .backoff)
        interfaceStatus.take(cycle(.held(.backingOff(until: next.at)), next: next), at: at(110))
        let ownership = Ownership(
            station: .init([.init(.networkManager, "")]), network: .init([.init(.networkManager, "")]))
        let present = StatusJSON.Present(
            interface: "wlan0", now: at(115), state: .waiting(next), settings: Settings(), obstacles: [],
            ownership: ownership, instant: HistorySamples.instant(0),
            wallTime: { _ in "2026-02-03T04:05:06.789Z" })
        return StatusText(StatusJSON(interfaceStatus, present).json).lines
    }

    /// The lines of `doctor`.
    static var doctor: [String] {
        let kinds: [SetupFinding.Kind] = [
            .autoconnectRetries(2), .savesPower(.unknown), .noCountry,
            .knownDriver(
                DriverName("brcmfmac", on: "sdio"), fault: "the firmware may hang",
                remedy: "set power-save = off"),
        ]
        return kinds.flatMap { SetupFinding($0, of: $0 == .noCountry ? nil : "wlan0").lines }
    }

    private static func at(_ seconds: Int) -> Instant { start + .seconds(seconds) }

    private static func cycle(_ action: CycleReport.Action, next: NextCheck? = nil) -> Report {
        .cycle(
            CycleReport(
                verdict: verdict, action: action,
                change: HealthChange(before: .sick, after: .sick, streak: 4), next: next))
    }

    /// The rows of a terminal of 80 columns that these lines fill.
    static func rows(_ lines: [String]) -> Int {
        let columns = 80
        return lines.reduce(0) { $0 + max(1, ($1.count + columns - 1) / columns) }
    }
}
