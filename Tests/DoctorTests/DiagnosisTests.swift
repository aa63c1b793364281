import Testing

@testable import Doctor
@testable import Model

@Suite("What doctor finds wrong with a machine's set-up")
struct DiagnosisTests {
    private static let machine: MachineFacts = {
        var facts = MachineFacts()
        facts.uplinks = ["wlan0"]
        facts.strictlyFiltered = ["wlan0"]
        facts.country = "CH"
        facts.unit = .enabled
        facts.isServiceRunning = true
        return facts
    }()

    /// A station that is associated and addressed.
    private static let kernelState = KernelState(
        link: Link(
            index: InterfaceIndex(rawValue: 7), name: "wlan0", isUp: true, hasCarrier: true,
            operationalState: .up),
        wireless: Wireless(
            role: .station, phy: 0,
            association: Association(
                bssid: MACAddress([2, 0, 0, 0, 0, 0])!, ssid: SSID("lab".utf8), frequency: 2412,
                station: StationInformation(signal: -50))),
        addresses: [
            InterfaceAddress(address: .v4(0x0a4d_0002), prefixLength: 24, reachesBeyondLink: true)
        ],
        gateways: [Gateway(address: DiagnosisRow.gateway, neighbour: Neighbour(state: .stale))])

    private static let interface: InterfaceFacts = {
        let owner = Ownership(
            station: Ownership.Part([Ownership.Claim(.supplicant, "seen")]),
            network: Ownership.Part([Ownership.Claim(.networkManager, "seen")]))
        var facts = InterfaceFacts(name: "wlan0", kernelState: kernelState, ownership: owner)
        facts.kernelState.savesPower = false
        facts.hasDefaultRoute = true
        facts.driver = DiagnosisRow.driver
        facts.activationPolicy = "up"
        facts.autoconnectRetries = 4
        return facts
    }()

    private func findings(
        _ change: (inout MachineFacts, inout InterfaceFacts) -> Void = { _, _ in }
    ) -> [SetupFinding] {
        var (machine, interface) = (Self.machine, Self.interface)
        change(&machine, &interface)
        return Diagnosis.findings(machine, [interface])
    }

    @Test("a machine that is set up well has no findings")
    func healthy() {
        #expect(findings() == [])
        #expect(Diagnosis.findings(Self.machine, []) == [])
    }

    @Test(
        "each fault is a finding on its interface or machine alone; a similar harmless state is none",
        arguments: DiagnosisRow.ofInterfaces + DiagnosisRow.ofMachines)
    func each(_ row: DiagnosisRow) {
        let found = findings { row.shown(&$0, &$1) }
        #expect(found == [SetupFinding(row.kind, of: row.isOfInterface ? "wlan0" : nil)])
        #expect(found.map(\.severity) == [row.severity])
        #expect(findings { row.silent(&$0, &$1) } == [])
    }

    /// Quarters of an hour, three round trips in milliseconds, and the signal in dBm; then whether they show
    /// that power saving delays answers (nil: they do not tell).
    @Test(
        "power saving is blamed only if slow round trips vary by half to three beacon intervals",
        arguments: [
            (4, 6, 52, 103, -51, true), (96, 49, 80, 127, -67, true), (4, 5, 25, 55, -51, true),
            (4, 5, 150, 315, -51, true), (4, 1, 3, 9, -51, false), (4, 1, 9, 900, -90, false),
            // Too few quarters; a weak or unknown signal; answers that are neither quick nor slow; too small
            // or too large a spread; a distant gateway.
            (3, 6, 52, 103, -51, nil), (3, 1, 3, 9, -51, nil), (4, 6, 52, 103, -68, nil),
            (4, 6, 52, 103, nil, nil), (4, 6, 24, 103, -51, nil), (4, 6, 30, 55, -51, nil),
            (4, 5, 150, 316, -51, nil), (4, 200, 210, 230, -51, nil), (4, 1, 10, 60, -51, nil),
        ] as [(Int, Int, Int, Int, Int8?, Bool?)])
    func powerSave(_ row: (quarters: Int, least: Int, median: Int, most: Int, signal: Int8?, isShown: Bool?))
    {
        let roundTrips = GatewayRoundTrips(
            quarters: row.quarters, least: .milliseconds(row.least), median: .milliseconds(row.median),
            most: .milliseconds(row.most), signal: row.signal)
        let found = findings { _, interface in
            interface.kernelState.savesPower = true
            interface.roundTrips = roundTrips
        }
        let effect: SetupFinding.PowerSaveEffect =
            switch row.isShown {
            case true?: .delays(roundTrips)
            case false?: .noDelays(roundTrips)
            case nil: .unknown
            }
        #expect(found == [SetupFinding(.savesPower(effect), of: "wlan0")])
        #expect(found.map(\.severity) == [row.isShown == false ? .note : .warning])
        #expect(findings { $1.roundTrips = roundTrips } == [])
    }

    @Test("findings are sorted by severity, and equal ones keep their order")
    func order() {
        let found = findings { machine, interface in
            machine.country = "00"
            machine.mayPing = false
            interface.sendsEchoes = true
            interface.kernelState.radio = .soft
            interface.kernelState.savesPower = true
        }
        #expect(found.map(\.kind) == [.radioBlocked(.soft), .savesPower(.unknown), .mayNotPing, .noCountry])
    }
}
