import Testing

@testable import Doctor
@testable import Model

/// A finding, a change of the facts that causes it (`shown`), and the most similar change that does not
/// (`silent`).
struct DiagnosisRow: Sendable, CustomTestStringConvertible {
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

    static let gateway = IPAddress.v4(0x0a4d_0001)
    private static let ipv6 = InterfaceAddress(
        address: IPAddress("fe80::1")!, prefixLength: 64, reachesBeyondLink: false)

    private static let notRestarting = RestartAccess(unit: "iwd.service", permission: .refused)
    private static let forbidden = ForbiddenMethods(
        methods: [.reset], place: "/sys", error: "Read-only file system")
    static let driver = DriverName("iwlwifi", on: "pci")

    private static func rule(fault: String?, remedy: String?, powerSave: PowerSave? = nil) -> DriverRule {
        var rule = DriverRule(driver, file: "f", line: 1)
        rule.fault = fault
        rule.remedy = remedy
        rule.powerSave = powerSave
        return rule
    }

    private static let backup = Port(
        master: InterfaceIndex(rawValue: 9), masterName: "bond0", kind: .bond, traffic: .none)

    static let ofInterfaces: [DiagnosisRow] = [
        DiagnosisRow(.radioBlocked(.hard), .error, ofInterface: true) {
            $1.kernelState.radio = .hard
        } silent: {
            $1.kernelState.radio = .none
        },
        DiagnosisRow(.savesPower(.unknown), .warning, ofInterface: true) {
            $1.kernelState.savesPower = true
        } silent: {
            $1.kernelState.savesPower = true
            $1.keepsPowerSaveOff = true
        },
        DiagnosisRow(.port(backup), .note, ofInterface: true) {
            $1.kernelState.link.port = backup
        } silent: {
            $1.kernelState.link.port = nil
        },
        DiagnosisRow(
            .knownDriver(driver, fault: "it hangs", wantsPowerSaveAuto: false, remedy: "wait"), .warning,
            ofInterface: true
        ) {
            $1.driverRule = rule(fault: "it hangs", remedy: "wait")
        } silent: {
            $1.driverRule = rule(fault: "it hangs", remedy: nil)
        },
        DiagnosisRow(
            .knownDriver(driver, fault: nil, wantsPowerSaveAuto: false, remedy: "wait"), .warning,
            ofInterface: true
        ) {
            $1.driverRule = rule(fault: nil, remedy: "wait")
        } silent: {
            $1.driver = nil
            $1.driverRule = nil
        },
        DiagnosisRow(
            .knownDriver(driver, fault: nil, wantsPowerSaveAuto: true, remedy: "wait"), .warning,
            ofInterface: true
        ) {
            $1.driverRule = rule(fault: nil, remedy: "wait", powerSave: .off)
        } silent: {
            $1.driverRule = rule(fault: nil, remedy: nil, powerSave: .leave)
        },
        DiagnosisRow(
            .knownDriver(driver, fault: "it sleeps", wantsPowerSaveAuto: true, remedy: nil), .warning,
            ofInterface: true
        ) {
            $1.driverRule = rule(fault: "it sleeps", remedy: nil, powerSave: .off)
        } silent: {
            $1.driverRule = rule(fault: "it sleeps", remedy: nil, powerSave: .off)
            $1.keepsPowerSaveOff = true
        },
        DiagnosisRow(
            .knownDriver(driver, fault: "it sleeps", wantsPowerSaveAuto: false, remedy: "wait"), .warning,
            ofInterface: true
        ) {
            $1.driverRule = rule(fault: "it sleeps", remedy: "wait", powerSave: .off)
            $1.keepsPowerSaveOff = true
        } silent: {
            $1.driverRule = nil
        },
        DiagnosisRow(.forbiddenMethods(forbidden), .warning, ofInterface: true) {
            $1.forbiddenMethods = [forbidden]
        } silent: {
            $1.forbiddenMethods = []
        },
        DiagnosisRow(.mayNotReset(forbidden), .note, ofInterface: true) {
            $1.forbiddenReset = forbidden
        } silent: {
            $1.forbiddenReset = nil
        },
        DiagnosisRow(.mayNotRestart(notRestarting), .note, ofInterface: true) {
            $1.restartAccess = notRestarting
        } silent: {
            $1.restartAccess?.permission = .given
        },
        DiagnosisRow(.ownerCondition(OwnerCondition(.supplicant, .hung)), .warning, ofInterface: true) {
            $1.ownerCondition = OwnerCondition(.supplicant, .hung)
        } silent: {
            $1.ownerCondition = nil
        },
        DiagnosisRow(.ownerCondition(OwnerCondition(.networkd, .dead)), .warning, ofInterface: true) {
            $1.ownerCondition = OwnerCondition(.networkd, .dead)
        } silent: {
            $1.ownerCondition = nil
        },
        DiagnosisRow(.ownerCondition(OwnerCondition(.resolved, .hung)), .warning, ofInterface: false) {
            machine, _ in
            machine.resolverCondition = OwnerCondition(.resolved, .hung)
        } silent: { machine, _ in
            machine.resolverCondition = nil
        },
        DiagnosisRow(.ownerCondition(OwnerCondition(.networkManager, .gaveUp)), .warning, ofInterface: true) {
            $1.ownerCondition = OwnerCondition(.networkManager, .gaveUp)
        } silent: {
            $1.ownerCondition = nil
        },
        DiagnosisRow(
            .ownerCondition(OwnerCondition(.networkManager, .toldToDisconnect)), .note, ofInterface: true
        ) {
            $1.ownerCondition = OwnerCondition(.networkManager, .toldToDisconnect)
        } silent: {
            $1.ownerCondition = nil
        },
        DiagnosisRow(.activationPolicy("always-up"), .warning, ofInterface: true) {
            $1.activationPolicy = "always-up"
        } silent: {
            $1.activationPolicy = "manual"
        },
        DiagnosisRow(.activationPolicy("always-down"), .error, ofInterface: true) {
            $1.activationPolicy = "always-down"
        } silent: {
            $1.activationPolicy = "down"
        },
        DiagnosisRow(.autoconnectRetries(1), .warning, ofInterface: true) {
            $1.autoconnectRetries = 1
        } silent: {
            $1.autoconnectRetries = 0
        },
        DiagnosisRow(.autoconnectRetries(3), .warning, ofInterface: true) {
            $1.autoconnectRetries = 3
        } silent: {
            $1.autoconnectRetries = nil
        },
        DiagnosisRow(.disputed([.networkManager, .networkd]), .error, ofInterface: true) {
            $1.configConflicts = [.disputed([.networkManager, .networkd])]
        } silent: {
            $1.configConflicts = []
        },
        DiagnosisRow(.ownerUnknown, .note, ofInterface: true) {
            $1.ownership = Ownership()
        } silent: {
            $1.ownership.network = Ownership.Part()
        },
        DiagnosisRow(
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
        DiagnosisRow(
            .foreignSource(foreign, gateway: Self.gateway, ours: .v4(0x0a4d_0002)), .warning,
            ofInterface: true
        ) {
            $1.kernelState.addresses = [foreign, own]
            $1.gatewayPath = InterfaceFacts.GatewayPath(to: Self.gateway, from: foreign.address)
        } silent: {
            $1.kernelState.addresses = [foreign, own]
            $1.gatewayPath = InterfaceFacts.GatewayPath(to: Self.gateway, from: own.address)
        },
        // If the gateway is outside every subnet, the source address is not reported: that is configured on
        // purpose.
        DiagnosisRow(
            .foreignSource(foreign, gateway: Self.gateway, ours: .v4(0x0a4d_0002)), .warning,
            ofInterface: true
        ) {
            $1.kernelState.addresses = [own, foreign]
            $1.gatewayPath = InterfaceFacts.GatewayPath(to: Self.gateway, from: foreign.address)
        } silent: {
            $1.kernelState.addresses = [foreign]
            $1.gatewayPath = InterfaceFacts.GatewayPath(to: Self.gateway, from: foreign.address)
        },
        DiagnosisRow(.deaf(missed), .warning, ofInterface: true) {
            $1.lastAdvertisement = missed
            $1.kernelState.gateways = [answering]
        } silent: {
            $1.lastAdvertisement = LastAdvertisement(ago: .seconds(1199), lifetime: .seconds(1800))
            $1.kernelState.gateways = [answering]
        },
        // Two cases that are not reported: the gateway has been silent, too; the station associated after the
        // last advertisement.
        DiagnosisRow(.deaf(missed), .warning, ofInterface: true) {
            $1.lastAdvertisement = missed
            $1.kernelState.gateways = [Gateway(address: gateway), answering]
        } silent: {
            $1.lastAdvertisement = missed
            $1.kernelState.gateways[0].neighbour?.confirmed = .seconds(601)
        },
        DiagnosisRow(.deaf(missed), .warning, ofInterface: true) {
            $1.lastAdvertisement = missed
            $1.kernelState.gateways = [answering]
            $1.kernelState.wireless?.association?.station.connected = .seconds(1200)
        } silent: {
            $1.lastAdvertisement = missed
            $1.kernelState.gateways = [answering]
            $1.kernelState.wireless?.association?.station.connected = .seconds(1199)
        },
        DiagnosisRow(.noDefaultRoute, .warning, ofInterface: true) {
            $1.hasDefaultRoute = false
        } silent: {
            ($1.hasDefaultRoute, $1.kernelState.addresses) = (false, [])
        },
        DiagnosisRow(.noDefaultRoute, .warning, ofInterface: true) {
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

    static let ofMachines: [DiagnosisRow] = [
        DiagnosisRow(.blockStored(file: "/x:wlan"), .warning, ofInterface: false) { machine, _ in
            machine.storedBlocks = ["/x:wlan"]
        } silent: { machine, _ in
            machine.storedBlocks = []
        },
        DiagnosisRow(.strictReversePath(uplinks: ["eth0", "wlan0"]), .warning, ofInterface: false) {
            machine, _ in
            machine.uplinks = ["eth0", "wlan0"]
        } silent: { machine, _ in
            (machine.uplinks, machine.strictlyFiltered) = (["eth0", "wlan0"], [])
        },
        DiagnosisRow(.noCountry, .note, ofInterface: false) { machine, _ in
            machine.country = "00"
        } silent: { machine, _ in
            machine.country = nil
        },
        DiagnosisRow(.rival("ifplugd", process: 9), .warning, ofInterface: false) {
            machine, _ in
            machine.rivals = [MachineFacts.Rival(name: "ifplugd", process: 9)]
        } silent: { machine, _ in
            machine.rivals = []
        },
        DiagnosisRow(.cronRival(file: "/etc/crontab", line: 7), .warning, ofInterface: false) { machine, _ in
            machine.cron = [MachineFacts.CronLine(file: "/etc/crontab", number: 7, kind: .rival)]
        } silent: { machine, _ in
            machine.cron = []
        },
        DiagnosisRow(.cronBesideService(file: "/etc/crontab", line: 7), .warning, ofInterface: false) {
            machine, _ in
            machine.cron = [MachineFacts.CronLine(file: "/etc/crontab", number: 7, kind: .ours)]
        } silent: { machine, _ in
            machine.cron = [MachineFacts.CronLine(file: "/etc/crontab", number: 7, kind: .ours)]
            (machine.unit, machine.isServiceRunning) = (.disabled, false)
        },
        DiagnosisRow(.cronBesideService(file: "/etc/crontab", line: 7), .warning, ofInterface: false) {
            machine, _ in
            machine.cron = [MachineFacts.CronLine(file: "/etc/crontab", number: 7, kind: .ours)]
            machine.unit = nil
        } silent: { machine, _ in
            machine.cron = [MachineFacts.CronLine(file: "/etc/crontab", number: 7, kind: .ours)]
            (machine.unit, machine.isServiceRunning) = (.timer, false)
        },
        DiagnosisRow(.serviceNotEnabled, .warning, ofInterface: false) { machine, _ in
            (machine.unit, machine.isServiceRunning) = (.disabled, false)
        } silent: { machine, _ in
            (machine.unit, machine.isServiceRunning) = (.enabled, false)
        },
        DiagnosisRow(.serviceNotEnabled, .warning, ofInterface: false) { machine, _ in
            (machine.unit, machine.isServiceRunning) = (.disabled, false)
        } silent: { machine, _ in
            (machine.unit, machine.isServiceRunning) = (.timer, false)
        },
        DiagnosisRow(.serviceNotEnabled, .warning, ofInterface: false) { machine, _ in
            machine.unit = .disabled
        } silent: {
            machine, _ in
            machine.unit = nil
        },
        DiagnosisRow(.serviceMasked, .note, ofInterface: false) { machine, _ in
            (machine.unit, machine.isServiceRunning) = (.masked, false)
        } silent: { machine, _ in
            (machine.unit, machine.isServiceRunning) = (nil, false)
        },
        DiagnosisRow(.nothingStartsUs, .note, ofInterface: false) { machine, _ in
            (machine.unit, machine.isServiceRunning) = (.missing, false)
        } silent: { machine, _ in
            machine.cron = [MachineFacts.CronLine(file: "/etc/crontab", number: 7, kind: .ours)]
            (machine.unit, machine.isServiceRunning) = (.missing, false)
        },
        DiagnosisRow(.clockBehind(.seconds(86_401)), .warning, ofInterface: false) { machine, _ in
            machine.clockBehind = .seconds(86_401)
        } silent: { machine, _ in
            machine.clockBehind = .seconds(86_400)
        },
        DiagnosisRow(.directory("it is not"), .warning, ofInterface: false) { machine, _ in
            machine.directoryProblems = ["it is not"]
        } silent: { machine, _ in
            machine.directoryProblems = []
        },
        DiagnosisRow(.mayNotChangeLinks, .note, ofInterface: false) { machine, _ in
            machine.mayChangeLinks = false
        } silent: {
            machine, _ in
            machine.mayChangeLinks = true
        },
        DiagnosisRow(.mayNotPing, .warning, ofInterface: false) { machine, interface in
            machine.mayPing = false
            interface.sendsEchoes = true
        } silent: { machine, _ in
            machine.mayPing = false
        },
        DiagnosisRow(.mayNotPing, .warning, ofInterface: false) { machine, interface in
            machine.mayPing = false
            interface.sendsEchoes = true
        } silent: { machine, interface in
            machine.mayPing = true
            interface.sendsEchoes = true
        },
        DiagnosisRow(.mayNotAnnounceIPv6, .warning, ofInterface: false) { machine, interface in
            machine.mayOpenRawSockets = false
            interface.announces = true
            interface.kernelState.addresses.append(Self.ipv6)
        } silent: { machine, interface in
            machine.mayOpenRawSockets = false
            interface.announces = true
        },
        DiagnosisRow(.mayNotAnnounceIPv6, .warning, ofInterface: false) { machine, interface in
            machine.mayOpenRawSockets = false
            interface.announces = true
            interface.kernelState.addresses.append(Self.ipv6)
        } silent: { machine, interface in
            machine.mayOpenRawSockets = false
            interface.kernelState.addresses.append(Self.ipv6)
        },
        DiagnosisRow(.mayNotAnnounceIPv6, .warning, ofInterface: false) { machine, interface in
            machine.mayOpenRawSockets = false
            interface.announces = true
            interface.kernelState.addresses.append(Self.ipv6)
        } silent: { _, interface in
            interface.announces = true
            interface.kernelState.addresses.append(Self.ipv6)
        },
    ]
}
