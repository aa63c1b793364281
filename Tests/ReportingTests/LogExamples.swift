import Model

@testable import Reporting
@testable import Toggling

/// Lines of the log and of the terminal that GoldenMessagesTests adds to those of a usual run.
enum LogExamples {
    private static let now = Instant(nanoseconds: 0)
    private static let gateway = IPAddress("192.0.2.1")!
    private static let sick = Verdict(.sick, layer: .gateway, reason: .gatewaySilent([gateway]))
    private static let healthy = Verdict(
        .healthy, reason: .gatewayConfirmed(gateway, ago: .milliseconds(5)))
    private static let refused = Failure(kind: .busy, code: 16, description: "Device or resource busy")

    private static func lines(_ reports: [Report]) -> [String] {
        var formatter = LogFormatter(verbosity: .verbose)
        return reports.flatMap { formatter.lines(for: $0, interface: "wlan0", at: now) }
            .filter { $0.level != .debug }.map { "\($0.level): \($0.text)" }
    }

    private static func bounced(_ methods: [Method], back recovery: Duration?) -> Report {
        let verdict = recovery == nil ? sick : healthy
        return .cycle(
            CycleReport(
                verdict: verdict,
                action: .bounced(
                    BounceSummary(
                        down: .zero, recovery: recovery, restoration: Restoration(), methods: methods)),
                change: HealthChange(before: .sick, after: recovery == nil ? .sick : .healthy, streak: 1),
                next: nil))
    }

    /// The lines about each method: its beginning and its result.
    static var methods: [String] {
        let begun = Method.allCases.map { Report.step(.beginning($0, sick)) }
        let others = Method.allCases.filter { ![.bounce, .rfkill, .rebind, .reset].contains($0) }
        return lines(
            begun + others.map { bounced([$0], back: .seconds(2)) }
                + [bounced([.owner, .bounce], back: nil), bounced([.bounce], back: nil)])
    }

    /// Lines that are logged only in rare situations, or only with --verbose.
    static var rare: [String] {
        var forced = Settings()
        forced.isForced = true
        let bond = Port(
            master: InterfaceIndex(rawValue: 9), masterName: "bond0", kind: .bond, traffic: .masters)
        let unnamed = Port(master: InterfaceIndex(rawValue: 9), kind: .bridge, traffic: .masters)
        let link = Link(
            index: InterfaceIndex(rawValue: 3), name: "wlan0", isUp: true, hasCarrier: true,
            operationalState: .up)
        return lines([
            .watching(forced, first: now), .step(.interrupting(bond)), .step(.interrupting(unnamed)),
            .step(.scanAborted(heard: .milliseconds(900))), .step(.operational(after: .milliseconds(400))),
            .step(.raiseFailed(refused, retryAt: now + .seconds(2))), .step(.appeared(link)),
            .step(.passedOver(.bounce, .snapshot, refused, next: nil)),
            .step(.notRecovered(.interfaceLost, .noReboot(.uplink("eth0")))),
            .step(.passedOver(.bounce, .guarding, refused, next: nil)),
            raised(healthy, .seconds(2)), raised(sick, nil),
            .step(.ownerOverdue(.networkManager, missing: ["192.0.2.7/24", "its name servers"])),
        ])
            + beside
    }

    private static func raised(_ verdict: Verdict, _ recovery: Duration?) -> Report {
        .cycle(
            CycleReport(
                verdict: verdict,
                action: .raised(
                    BounceSummary(
                        down: .zero, recovery: recovery, restoration: Restoration(), methods: [])),
                change: HealthChange(before: .sick, after: .healthy, streak: 1), next: nil))
    }

    /// Lines about power saving in a dry run, and about router solicitations.
    private static var beside: [String] {
        var powerSave = PowerSaveLog()
        var announcements = AnnouncementLog()
        let router = AdvertisedRouter(address: IPAddress("fe80::1")!, remaining: .seconds(300))
        let lines =
            [powerSave.line(for: .success(true), because: .setting, isDryRun: true, at: now)].compactMap(
                \.self)
            + announcements.lines(for: AnnouncementResult(solicited: [router]))
        return lines.map { "\($0.level): wlan0: \($0.text)" }
    }

    private static let next = NextCheck(at: now + .seconds(60), why: .schedule)

    /// Every step of a bounce. The switch gives each step's successor, so that the compiler demands a new
    /// step here.
    private static let steps: [Bounce.Step] = Array(
        sequence(first: .preparing) { step in
            switch step {
            case .preparing: .scanning
            case .scanning: .performing
            case .performing: .arming
            case .arming: .lowering(isGuardLost: false)
            case .lowering: .keepingDown
            case .keepingDown: .raising(Bounce.Attempts(since: now))
            case .raising: .awaitingLink
            case .awaitingLink: .awaitingOwner(compareAt: nil)
            case .awaitingOwner: .restoring
            case .restoring:
                .verifying(HealthCheck(number: 1, begun: now, scope: .full, settings: Settings()))
            case .verifying: .pausing(until: now)
            case .pausing: .comparing
            case .comparing: nil
            }
        })

    /// The names of the states in which a toggler acts or waits, as in JSON and in the log with --verbose.
    static var states: [String] {
        var seen: Set<String> = []
        return
            ([TogglerState.absent(Absence()).name, TogglerState.waiting(next).name, "checking"]
            + steps.map(\.name))
            .filter { seen.insert($0).inserted }
    }

    /// The line on the terminal while a command waits.
    static var progress: [String] {
        let lock = Progress.lock(within: .seconds(3)).what
        var seen: Set<String> = []
        let all = [lock] + states.compactMap { Progress.description(ofState: $0) }
        return all.filter { seen.insert($0).inserted }.map {
            ProgressLine(interface: "wlan0", Progress($0, most: .seconds(3)), at: now).text(
                at: now + .seconds(1))
        }
    }

    /// Lines in which a service that names no interface says which interfaces it watches, and why not others.
    static var selections: [String] {
        func link(_ index: Int32, _ name: String, port: Port? = nil) -> Link {
            var link = Link(
                index: InterfaceIndex(rawValue: index), name: name, isUp: true, hasCarrier: true,
                operationalState: .up)
            link.port = port
            return link
        }
        let station = Wireless(role: .station, phy: 0)
        let roles: [Wireless.Role] = [
            .accessPoint, .monitor, .adHoc, .mesh, .p2pClient, .p2pGroupOwner, .other(12),
        ]
        let port = Port(master: InterfaceIndex(rawValue: 1), kind: .bridge, traffic: .masters)
        let others = (10..<18).map { (link($0, "veth\($0)"), Wireless?.none) }
        return [
            SelectionText([(link(1, "br0"), nil), (link(2, "wlan0", port: port), station)] + others),
            SelectionText(
                roles.enumerated().map {
                    (link(Int32(20 + $0.offset), "wlan\($0.offset)"), Wireless(role: $0.element, phy: 0))
                }),
        ].map(\.description)
    }

    /// The table of `list --verbose`.
    static var list: [String] {
        func kernelState(_ index: Int32, _ change: (inout KernelState) -> Void) -> KernelState {
            var state = SickLink.kernelState
            state.link.index = InterfaceIndex(rawValue: index)
            state.link.name = "wlan\(index)"
            state.link.hasCarrier = true
            state.link.operationalState = .up
            state.wireless?.association = Association(
                bssid: MACAddress([2, 0, 0, 0, 0, 1])!, ssid: SSID("home".utf8), frequency: 5500,
                station: StationInformation(signal: -51))
            change(&state)
            return state
        }
        var rule = DriverRule(
            DriverName("brcmfmac", on: "sdio"), file: "/etc/wifi-toggler/drivers.conf", line: 15)
        rule.fault = "the firmware may hang"
        rule.forbidden = [.rfkill, .rebind]
        let owned = Ownership(
            station: .init([.init(.supplicant, "process 7")]),
            network: .init([.init(.dhcpcd, ""), .init(.networkd, "")]))
        let port = Port(
            master: InterfaceIndex(rawValue: 9), masterName: "bond0", kind: .bond, traffic: .masters)
        let tentative = InterfaceAddress(
            address: IPAddress("192.0.2.7")!, prefixLength: 24, reachesBeyondLink: true, isTentative: true)
        return InterfaceTable.table(
            [
                InterfaceTable.Entry(
                    kernelState(0) { $0.addresses = [tentative] }, owned,
                    driver: DriverName("brcmfmac", on: "sdio"), rule: rule),
                InterfaceTable.Entry(
                    kernelState(1) { $0.link.operationalState = .dormant }, Ownership(),
                    driver: DriverName("iwlwifi", on: "pci")),
                InterfaceTable.Entry(
                    kernelState(2) { $0.wireless?.association = nil },
                    Ownership(station: .init(), network: .init())),
                InterfaceTable.Entry(
                    kernelState(3) { $0.link.port = port }, Ownership(station: .init(), network: .init())),
            ], isVerbose: true)
    }
}
