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

    private static let gateway = IPAddress.v4(0x0a4d_0001)
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
        gateways: [Gateway(address: gateway, neighbour: Neighbour(state: .stale))])

    private static let ipv6 = InterfaceAddress(
        address: IPAddress("fe80::1")!, prefixLength: 64, reachesBeyondLink: false)

    private static let notRestarting = RestartAccess(unit: "iwd.service", permission: .refused)
    private static let forbidden = ForbiddenMethods(
        methods: [.reset], place: "/sys", error: "Read-only file system")
    private static let driver = DriverName("iwlwifi", on: "pci")

    private static func rule(fault: String?, remedy: String?, powerSave: PowerSave? = nil) -> DriverRule {
        var rule = DriverRule(driver, file: "f", line: 1)
        rule.fault = fault
        rule.remedy = remedy
        rule.powerSave = powerSave
        return rule
    }

    private static let interface: InterfaceFacts = {
        let owner = Ownership(
            station: Ownership.Part([Ownership.Claim(.supplicant, "seen")]),
            network: Ownership.Part([Ownership.Claim(.networkManager, "seen")]))
        var facts = InterfaceFacts(name: "wlan0", kernelState: kernelState, ownership: owner)
        facts.kernelState.savesPower = false
        facts.hasDefaultRoute = true
        facts.driver = driver
        facts.activationPolicy = "up"
        facts.autoconnectRetries = 4
        return facts
    }()

    /// A change of the facts, its finding, and the nearest change that has no finding.
    struct Row: Sendable, CustomTestStringConvertible {
        var kind: SetupFinding.Kind
        var severity: SetupFinding.Severity
        var shown: @Sendable (inout MachineFacts, inout InterfaceFacts) -> Void
        var silent: @Sendable (inout MachineFacts, inout InterfaceFacts) -> Void
        var isOfInterface: Bool

        init(
            _ kind: SetupFinding.Kind, _ severity: SetupFinding.Severity, ofInterface: Bool,
            _ shown: @escaping @Sendable (inout MachineFacts, inout InterfaceFacts) -> Void,
            silent: @escaping @Sendable (inout MachineFacts, inout InterfaceFacts) -> Void
        ) {
            self.kind = kind
            self.severity = severity
            self.shown = shown
            self.silent = silent
            isOfInterface = ofInterface
        }

        var testDescription: String { "\(kind)" }
    }

    private static let backup = Port(
        master: InterfaceIndex(rawValue: 9), masterName: "bond0", kind: .bond, traffic: .none)

    static let ofInterfaces: [Row] = [
        Row(.radioBlocked(.hard), .error, ofInterface: true) {
            $1.kernelState.radio = .hard
        } silent: {
            $1.kernelState.radio = .none
        },
        Row(.savesPower(.unknown), .warning, ofInterface: true) {
            $1.kernelState.savesPower = true
        } silent: {
            $1.kernelState.savesPower = true
            $1.keepsPowerSaveOff = true
        },
        Row(.port(backup), .note, ofInterface: true) {
            $1.kernelState.link.port = backup
        } silent: {
            $1.kernelState.link.port = nil
        },
        Row(
            .knownDriver(driver, fault: "it hangs", wantsPowerSaveAuto: false, remedy: "wait"), .warning,
            ofInterface: true
        ) {
            $1.driverRule = rule(fault: "it hangs", remedy: "wait")
        } silent: {
            $1.driverRule = rule(fault: "it hangs", remedy: nil)
        },
        Row(
            .knownDriver(driver, fault: nil, wantsPowerSaveAuto: false, remedy: "wait"), .warning,
            ofInterface: true
        ) {
            $1.driverRule = rule(fault: nil, remedy: "wait")
        } silent: {
            $1.driver = nil
            $1.driverRule = nil
        },
        Row(
            .knownDriver(driver, fault: nil, wantsPowerSaveAuto: true, remedy: "wait"), .warning,
            ofInterface: true
        ) {
            $1.driverRule = rule(fault: nil, remedy: "wait", powerSave: .off)
        } silent: {
            $1.driverRule = rule(fault: nil, remedy: nil, powerSave: .leave)
        },
        Row(
            .knownDriver(driver, fault: "it sleeps", wantsPowerSaveAuto: true, remedy: nil), .warning,
            ofInterface: true
        ) {
            $1.driverRule = rule(fault: "it sleeps", remedy: nil, powerSave: .off)
        } silent: {
            $1.driverRule = rule(fault: "it sleeps", remedy: nil, powerSave: .off)
            $1.keepsPowerSaveOff = true
        },
        Row(
            .knownDriver(driver, fault: "it sleeps", wantsPowerSaveAuto: false, remedy: "wait"), .warning,
            ofInterface: true
        ) {
            $1.driverRule = rule(fault: "it sleeps", remedy: "wait", powerSave: .off)
            $1.keepsPowerSaveOff = true
        } silent: {
            $1.driverRule = nil
        },
        Row(.forbiddenMethods(forbidden), .warning, ofInterface: true) {
            $1.forbiddenMethods = [forbidden]
        } silent: {
            $1.forbiddenMethods = []
        },
        Row(.mayNotReset(forbidden), .note, ofInterface: true) {
            $1.forbiddenReset = forbidden
        } silent: {
            $1.forbiddenReset = nil
        },
        Row(.mayNotRestart(notRestarting), .note, ofInterface: true) {
            $1.restartAccess = notRestarting
        } silent: {
            $1.restartAccess?.permission = .given
        },
        Row(.ownerCondition(OwnerCondition(.supplicant, .hung)), .warning, ofInterface: true) {
            $1.ownerCondition = OwnerCondition(.supplicant, .hung)
        } silent: {
            $1.ownerCondition = nil
        },
        Row(.ownerCondition(OwnerCondition(.networkd, .dead)), .warning, ofInterface: true) {
            $1.ownerCondition = OwnerCondition(.networkd, .dead)
        } silent: {
            $1.ownerCondition = nil
        },
        Row(.ownerCondition(OwnerCondition(.resolved, .hung)), .warning, ofInterface: false) { machine, _ in
            machine.resolverCondition = OwnerCondition(.resolved, .hung)
        } silent: { machine, _ in
            machine.resolverCondition = nil
        },
        Row(.ownerCondition(OwnerCondition(.networkManager, .gaveUp)), .warning, ofInterface: true) {
            $1.ownerCondition = OwnerCondition(.networkManager, .gaveUp)
        } silent: {
            $1.ownerCondition = nil
        },
        Row(.ownerCondition(OwnerCondition(.networkManager, .toldToDisconnect)), .note, ofInterface: true) {
            $1.ownerCondition = OwnerCondition(.networkManager, .toldToDisconnect)
        } silent: {
            $1.ownerCondition = nil
        },
        Row(.activationPolicy("always-up"), .warning, ofInterface: true) {
            $1.activationPolicy = "always-up"
        } silent: {
            $1.activationPolicy = "manual"
        },
        Row(.activationPolicy("always-down"), .error, ofInterface: true) {
            $1.activationPolicy = "always-down"
        } silent: {
            $1.activationPolicy = "down"
        },
        Row(.autoconnectRetries(1), .warning, ofInterface: true) {
            $1.autoconnectRetries = 1
        } silent: {
            $1.autoconnectRetries = 0
        },
        Row(.autoconnectRetries(3), .warning, ofInterface: true) {
            $1.autoconnectRetries = 3
        } silent: {
            $1.autoconnectRetries = nil
        },
        Row(.disputed([.networkManager, .networkd]), .error, ofInterface: true) {
            $1.configConflicts = [.disputed([.networkManager, .networkd])]
        } silent: {
            $1.configConflicts = []
        },
        Row(.ownerUnknown, .note, ofInterface: true) {
            $1.ownership = Ownership()
        } silent: {
            $1.ownership.network = Ownership.Part()
        },
        Row(
            .configConflict(.delayTooLong(.networkManager, delay: .seconds(6), longest: .seconds(5))),
            .warning,
            ofInterface: true
        ) {
            $1.configConflicts = [
                .delayTooLong(.networkManager, delay: .seconds(6), longest: .seconds(5))
            ]
        } silent: {
            $1.configConflicts = []
        },
        Row(
            .foreignSource(foreign, gateway: Self.gateway, ours: .v4(0x0a4d_0002)), .warning,
            ofInterface: true
        ) {
            $1.kernelState.addresses = [foreign, own]
            $1.gatewayPath = InterfaceFacts.GatewayPath(to: Self.gateway, from: foreign.address)
        } silent: {
            $1.kernelState.addresses = [foreign, own]
            $1.gatewayPath = InterfaceFacts.GatewayPath(to: Self.gateway, from: own.address)
        },
        // If no subnet contains the gateway, that is intended, and so is a source address of another network.
        Row(
            .foreignSource(foreign, gateway: Self.gateway, ours: .v4(0x0a4d_0002)), .warning,
            ofInterface: true
        ) {
            $1.kernelState.addresses = [own, foreign]
            $1.gatewayPath = InterfaceFacts.GatewayPath(to: Self.gateway, from: foreign.address)
        } silent: {
            $1.kernelState.addresses = [foreign]
            $1.gatewayPath = InterfaceFacts.GatewayPath(to: Self.gateway, from: foreign.address)
        },
        Row(.deaf(missed), .warning, ofInterface: true) {
            $1.lastAdvertisement = missed
            $1.kernelState.gateways = [answering]
        } silent: {
            $1.lastAdvertisement = LastAdvertisement(ago: .seconds(1199), lifetime: .seconds(1800))
            $1.kernelState.gateways = [answering]
        },
        // No finding if the gateway has been silent too, or the station joined after the last advertisement.
        Row(.deaf(missed), .warning, ofInterface: true) {
            $1.lastAdvertisement = missed
            $1.kernelState.gateways = [Gateway(address: gateway), answering]
        } silent: {
            $1.lastAdvertisement = missed
            $1.kernelState.gateways[0].neighbour?.confirmed = .seconds(601)
        },
        Row(.deaf(missed), .warning, ofInterface: true) {
            $1.lastAdvertisement = missed
            $1.kernelState.gateways = [answering]
            $1.kernelState.wireless?.association?.station.connected = .seconds(1200)
        } silent: {
            $1.lastAdvertisement = missed
            $1.kernelState.gateways = [answering]
            $1.kernelState.wireless?.association?.station.connected = .seconds(1199)
        },
        Row(.noDefaultRoute, .warning, ofInterface: true) {
            $1.hasDefaultRoute = false
        } silent: {
            ($1.hasDefaultRoute, $1.kernelState.addresses) = (false, [])
        },
        Row(.noDefaultRoute, .warning, ofInterface: true) {
            $1.hasDefaultRoute = false
        } silent: {
            ($1.hasDefaultRoute, $1.kernelState.link.isUp) = (false, false)
        },
    ]

    private static let missed = LastAdvertisement(ago: .seconds(1200), lifetime: .seconds(1800))
    private static let answering = Gateway(
        address: gateway, neighbour: Neighbour(state: .stale, confirmed: .seconds(600)))
    private static let foreign = InterfaceAddress(
        address: .v4(0x0a63_0909), prefixLength: 32, reachesBeyondLink: true)
    private static let own = InterfaceAddress(
        address: .v4(0x0a4d_0002), prefixLength: 24, reachesBeyondLink: true)

    static let ofMachines: [Row] = [
        Row(.blockStored(file: "/x:wlan"), .warning, ofInterface: false) { machine, _ in
            machine.storedBlocks = ["/x:wlan"]
        } silent: { machine, _ in
            machine.storedBlocks = []
        },
        Row(.strictReversePath(uplinks: ["eth0", "wlan0"]), .warning, ofInterface: false) { machine, _ in
            machine.uplinks = ["eth0", "wlan0"]
        } silent: { machine, _ in
            (machine.uplinks, machine.strictlyFiltered) = (["eth0", "wlan0"], [])
        },
        Row(.noCountry, .note, ofInterface: false) { machine, _ in
            machine.country = "00"
        } silent: { machine, _ in
            machine.country = nil
        },
        Row(.rival("ifplugd", process: 9), .warning, ofInterface: false) {
            machine, _ in
            machine.rivals = [MachineFacts.Rival(name: "ifplugd", process: 9)]
        } silent: { machine, _ in
            machine.rivals = []
        },
        Row(.cronRival(file: "/etc/crontab", line: 7), .warning, ofInterface: false) { machine, _ in
            machine.cron = [MachineFacts.CronLine(file: "/etc/crontab", number: 7, kind: .rival)]
        } silent: { machine, _ in
            machine.cron = []
        },
        Row(.cronBesideService(file: "/etc/crontab", line: 7), .warning, ofInterface: false) { machine, _ in
            machine.cron = [MachineFacts.CronLine(file: "/etc/crontab", number: 7, kind: .ours)]
        } silent: { machine, _ in
            machine.cron = [MachineFacts.CronLine(file: "/etc/crontab", number: 7, kind: .ours)]
            (machine.unit, machine.isServiceRunning) = (.disabled, false)
        },
        Row(.serviceNotEnabled, .warning, ofInterface: false) { machine, _ in
            (machine.unit, machine.isServiceRunning) = (.disabled, false)
        } silent: { machine, _ in
            (machine.unit, machine.isServiceRunning) = (.enabled, false)
        },
        Row(.serviceNotEnabled, .warning, ofInterface: false) { machine, _ in
            machine.unit = .disabled
        } silent: {
            machine, _ in
            machine.unit = nil
        },
        Row(.serviceMasked, .note, ofInterface: false) { machine, _ in
            (machine.unit, machine.isServiceRunning) = (.masked, false)
        } silent: { machine, _ in
            (machine.unit, machine.isServiceRunning) = (nil, false)
        },
        Row(.nothingStartsUs, .note, ofInterface: false) { machine, _ in
            (machine.unit, machine.isServiceRunning) = (.missing, false)
        } silent: { machine, _ in
            machine.cron = [MachineFacts.CronLine(file: "/etc/crontab", number: 7, kind: .ours)]
            (machine.unit, machine.isServiceRunning) = (.missing, false)
        },
        Row(.clockBehind(.seconds(86_401)), .warning, ofInterface: false) { machine, _ in
            machine.clockBehind = .seconds(86_401)
        } silent: { machine, _ in
            machine.clockBehind = .seconds(86_400)
        },
        Row(.directory("it is not"), .warning, ofInterface: false) { machine, _ in
            machine.directoryProblems = ["it is not"]
        } silent: { machine, _ in
            machine.directoryProblems = []
        },
        Row(.mayNotChangeLinks, .note, ofInterface: false) { machine, _ in
            machine.mayChangeLinks = false
        } silent: {
            machine, _ in
            machine.mayChangeLinks = true
        },
        Row(.mayNotPing, .warning, ofInterface: false) { machine, _ in
            machine.mayPing = false
        } silent: {
            machine, _ in
            machine.mayPing = true
        },
        Row(.mayNotAnnounceIPv6, .warning, ofInterface: false) { machine, interface in
            machine.mayOpenRawSockets = false
            interface.announces = true
            interface.kernelState.addresses.append(Self.ipv6)
        } silent: { machine, interface in
            machine.mayOpenRawSockets = false
            interface.announces = true
        },
        Row(.mayNotAnnounceIPv6, .warning, ofInterface: false) { machine, interface in
            machine.mayOpenRawSockets = false
            interface.announces = true
            interface.kernelState.addresses.append(Self.ipv6)
        } silent: { machine, interface in
            machine.mayOpenRawSockets = false
            interface.kernelState.addresses.append(Self.ipv6)
        },
        Row(.mayNotAnnounceIPv6, .warning, ofInterface: false) { machine, interface in
            machine.mayOpenRawSockets = false
            interface.announces = true
            interface.kernelState.addresses.append(Self.ipv6)
        } silent: { _, interface in
            interface.announces = true
            interface.kernelState.addresses.append(Self.ipv6)
        },
    ]

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
        "each fault is one finding, about the interface or the machine; a similar harmless state is none",
        arguments: ofInterfaces + ofMachines)
    func each(_ row: Row) {
        let found = findings { row.shown(&$0, &$1) }
        #expect(found == [SetupFinding(row.kind, of: row.isOfInterface ? "wlan0" : nil)])
        #expect(found.map(\.severity) == [row.severity])
        #expect(findings { row.silent(&$0, &$1) } == [])
    }

    /// Quarters of an hour, three round trips in milliseconds, and the signal in dBm; then whether they show
    /// that power saving delays answers (nil: they do not tell).
    @Test(
        "power saving is blamed only if slow round trips vary by about one to three beacon intervals",
        arguments: [
            (4, 6, 52, 103, -51, true), (96, 49, 80, 127, -67, true), (4, 5, 25, 55, -51, true),
            (4, 5, 150, 315, -51, true), (4, 1, 3, 9, -51, false), (4, 1, 9, 900, -90, false),
            // Too few quarters, a weak signal, quick answers, too small or too large a spread, a distant
            // gateway.
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
            interface.kernelState.radio = .soft
            interface.kernelState.savesPower = true
        }
        #expect(found.map(\.kind) == [.radioBlocked(.soft), .savesPower(.unknown), .mayNotPing, .noCountry])
    }
}
