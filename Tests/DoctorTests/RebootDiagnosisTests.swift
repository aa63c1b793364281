import Testing

@testable import Doctor
@testable import Model

@Suite("What doctor finds that would keep the service from a reboot")
struct RebootDiagnosisTests {
    private static let ssid = SSID("lab".utf8)
    private static let now = Instant(nanoseconds: 3_600_000_000_000)

    private static func known(_ name: String = "lab") -> KnownTargets {
        KnownTargets([
            KnownTargets.Entry(
                network: Network(ssid: SSID(name.utf8), routers: []), target: "gateway", answered: now)
        ])
    }

    /// The facts of a machine that would be rebooted.
    private static let facts: RebootFacts = {
        var facts = RebootFacts()
        facts.access.logind = .answers(isInhibited: false)
        facts.access.permission = .given
        facts.record = .read(RebootState())
        facts.now = now
        facts.knownTargets = known()
        facts.after = .seconds(63)
        facts.settle = .seconds(30)
        facts.delay = .seconds(3)
        facts.others = [.owner, .bounce]
        return facts
    }()

    private static func findings(
        isAssociated: Bool = true, _ change: (inout RebootFacts) -> Void = { _ in }
    ) -> [SetupFinding] {
        var facts = facts
        change(&facts)
        let association = Association(bssid: MACAddress([2, 0, 0, 0, 0, 0])!, ssid: ssid, frequency: 2412)
        let wireless = Wireless(role: .station, phy: 0, association: isAssociated ? association : nil)
        let link = Link(
            index: InterfaceIndex(rawValue: 7), name: "wlan0", isUp: true, hasCarrier: true,
            operationalState: .up)
        let owners = Ownership.Part([Ownership.Claim(.iwd, "seen")])
        var interface = InterfaceFacts(
            name: "wlan0", kernelState: KernelState(link: link, wireless: wireless),
            ownership: Ownership(station: owners, network: owners))
        interface.reboot = facts
        var machine = MachineFacts()
        machine.unit = .enabled
        machine.isServiceRunning = true
        return Diagnosis.findings(machine, [interface])
    }

    /// A finding, a change of the facts that causes it (`shown`), and the most similar change that does not
    /// (`silent`).
    struct Row: Sendable, CustomTestStringConvertible {
        var problem: RebootProblem
        var severity: SetupFinding.Severity
        var shown: @Sendable (inout RebootFacts) -> Void
        var silent: @Sendable (inout RebootFacts) -> Void

        init(
            _ problem: RebootProblem, _ severity: SetupFinding.Severity,
            _ shown: @escaping @Sendable (inout RebootFacts) -> Void,
            silent: @escaping @Sendable (inout RebootFacts) -> Void
        ) {
            (self.problem, self.severity, self.shown, self.silent) = (problem, severity, shown, silent)
        }

        var testDescription: String { "\(problem)" }
    }

    /// A reboot this long before now.
    private static func ago(_ ages: Duration...) -> RebootFacts.Record {
        .read(RebootState(reboots: ages.map { now + (.zero - $0) }))
    }

    private static let day: Duration = .seconds(86_400)

    static let rows: [Row] = [
        Row(.noLogind("no bus"), .warning) {
            $0.access.logind = .absent("no bus")
            $0.access.permission = nil
        } silent: {
            $0.access.logind = .absent("no bus")
            $0.access.permission = .given
            $0.access.mayForce = true
        },
        Row(.inhibited, .warning) {
            $0.access.logind = .answers(isInhibited: true)
        } silent: {
            $0.access.logind = nil
        },
        Row(.notPermitted, .warning) {
            $0.access.permission = .refused
        } silent: {
            $0.access.permission = nil
        },
        Row(.noPolkit("no bus"), .warning) {
            $0.access.permission = .absent("no bus")
        } silent: {
            $0.access.permission = .given
        },
        Row(.recordDamaged(file: "/f"), .warning) {
            $0.record = .damaged(file: "/f")
        } silent: {
            $0.record = nil
        },
        Row(.recordUnreadable(file: "/f", error: "no"), .warning) {
            $0.record = .unreadable(file: "/f", error: "no")
        } silent: {
            $0.record = .read(RebootState())
        },
        Row(.recordVolatile(directory: "/d"), .warning) {
            $0.record = .volatile(directory: "/d")
        } silent: {
            $0.record = .read(RebootState())
        },
        Row(.limit(.seconds(1), reboots: 1), .note) {
            $0.record = ago(day - .seconds(1))
        } silent: {
            $0.record = ago(day)
        },
        Row(.limit(day, reboots: 3), .warning) {
            $0.record = ago(day * 6, day * 4, day * 2)
        } silent: {
            $0.record = ago(day * 7, day * 4, day * 2)
        },
        Row(.neverWorked(ssid), .warning) {
            $0.knownTargets = known("office")
        } silent: {
            $0.knownTargets = nil
        },
        Row(.uplink("eth0"), .note) {
            $0.otherUplink = "eth0"
        } silent: {
            $0.otherUplink = nil
        },
        Row(.notVerified, .warning) {
            $0.settle = .zero
        } silent: {
            $0.settle = .zero
            $0.others = []
        },
        Row(.laterThan(.seconds(62), methods: .seconds(63)), .note) {
            $0.after = .seconds(62)
            $0.others = [.owner, .bounce]
        } silent: {
            $0.after = .seconds(63)
        },
    ]

    @Test("each fact that prevents a reboot is a finding; a similar harmless one is none", arguments: rows)
    func each(_ row: Row) {
        #expect(Self.findings { row.shown(&$0) } == [SetupFinding(.reboot(row.problem), of: "wlan0")])
        #expect(Self.findings { row.shown(&$0) }.map(\.severity) == [row.severity])
        #expect(Self.findings { row.silent(&$0) } == [])
    }

    @Test("for a link in no network, it is enough that it was healthy in any network")
    func anyNetwork() {
        #expect(Self.findings(isAssociated: false) { $0.knownTargets = Self.known("office") } == [])
        let found = Self.findings(isAssociated: false) { $0.knownTargets = KnownTargets() }
        #expect(found.map(\.kind) == [.reboot(.neverWorked(nil))])
    }

    @Test("nothing is reported if no fact is known, or if nothing prevents a reboot")
    func silent() {
        #expect(Self.findings { $0 = RebootFacts() } == [])
        #expect(Self.findings() == [])
    }
}
