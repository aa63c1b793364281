import Foundation
import Model
import Testing

@testable import Reporting
@testable import Toggling

@Suite("The page of Prometheus metrics") struct MetricsPageTests {
    private static let start = Instant(nanoseconds: 1_000_000_000_000)
    /// The wall time when the boot-time clock shows `start`.
    private static let wall: Int64 = 1_790_000_000_000_000_000
    private static let gateway = IPAddress("192.0.2.1")!
    private static let sick = Verdict(.sick, layer: .gateway, reason: .gatewaySilent([gateway]))

    private static let answers = Verdict(.healthy, reason: .gatewayConfirmed(gateway, ago: .milliseconds(5)))

    private static func at(_ seconds: Int) -> Instant { start + .seconds(seconds) }

    private static func page(
        _ links: [(name: String, interfaceStatus: InterfaceStatus)], at seconds: Int,
        _ noBounceReasons: [NoBounceReason] = [],
        for interfaces: [String] = []
    ) -> String {
        MetricsPage(
            version: "1.2", interfaces: interfaces, started: wall,
            links.map { link in
                MetricsPage.Link(
                    link.interfaceStatus,
                    StatusJSON.Present(
                        interface: link.name, now: at(seconds), state: .idle, settings: Settings(),
                        noBounceReasons: noBounceReasons, ownership: nil,
                        instant: Timestamp(
                            wall: wall / 1_000_000 + Int64(seconds) * 1000, boot: "",
                            sinceBoot: at(seconds).nanoseconds / 1_000_000),
                        wallTime: { _ in "" }),
                    wallNow: wall + Int64(seconds) * 1_000_000_000)
            }
        ).text
    }

    /// The page's help line for each metric.
    static var help: [String] {
        page([], at: 0).split(separator: "\n").filter { $0.hasPrefix("# HELP") }.map(String.init)
    }

    private static func cycle(
        _ verdict: Verdict, _ action: CycleReport.Action = .none, _ before: Health.Condition,
        _ after: Health.Condition, streak: Int = 1, quality: Quality? = nil
    ) -> Report {
        .cycle(
            CycleReport(
                verdict: verdict, action: action,
                change: HealthChange(before: before, after: after, streak: streak),
                next: NextCheck(at: at(120), why: .schedule), quality: quality))
    }

    /// An interface that was checked, bounced because of its gateway, held once, and is healthy again.
    private static var story: InterfaceStatus {
        let probe = Evidence.probe(
            .icmp(.address(gateway)), .answered(roundTrip: .microseconds(1500), detail: ""))
        let healthy = Verdict(
            .healthy, reason: .gatewayConfirmed(gateway, ago: .milliseconds(5)),
            evidence: [
                .association(
                    Association(
                        bssid: MACAddress([2, 0, 0, 0, 0, 1])!,
                        station: StationInformation(signal: -48))), probe,
            ])
        let silent = Verdict(
            .sick, layer: .gateway, reason: .gatewaySilent([gateway]),
            evidence: [.probe(.icmp(.address(gateway)), .unanswered(detail: ""))])
        let summary = BounceSummary(
            down: .milliseconds(3100), recovery: .milliseconds(4250), restoration: Restoration())
        var interfaceStatus = InterfaceStatus(at: start)
        interfaceStatus.take(cycle(healthy, .none, .undetermined, .healthy), at: at(1))
        interfaceStatus.rebooted(at: at(1))
        interfaceStatus.take(.step(.beginning(.bounce, silent)), at: at(5))
        interfaceStatus.take(cycle(healthy, .bounced(summary), .sick, .healthy), at: at(13))
        interfaceStatus.take(cycle(silent, .held(.backingOff(until: at(60))), .healthy, .sick), at: at(20))
        interfaceStatus.take(
            cycle(
                healthy, .none, .sick, .healthy,
                quality: Quality(probes: 20, lost: 5, roundTrip: .milliseconds(2), degradations: [.loss])),
            at: at(60))
        return interfaceStatus
    }

    @Test("pages of services for different interfaces share no series, and begin with the same text")
    func purposes() {
        func series(_ interface: String, _ words: [String]) -> Set<Substring> {
            let page = Self.page([(interface, Self.story)], at: 61, for: words)
            #expect(page.hasPrefix(MetricsPage.beginning))
            let lines = page.split(separator: "\n").filter { !$0.hasPrefix("#") }
            return Set(lines.map { $0.prefix { $0 != " " } })
        }
        let one = series("wlan0", ["wlan0"])
        #expect(one.contains(#"wifi_toggler_build_info{version="1.2",interfaces="wlan0"}"#))
        #expect(one.contains(#"wifi_toggler_start_time_seconds{interfaces="wlan0"}"#))
        #expect(one.isDisjoint(with: series("wlan1", ["wlan1", "wl*"])))
        #expect(one.isDisjoint(with: series("wlan1", [])))
    }

    @Test("a typical course of events yields each expected line")
    func story() {
        let lines = Set(
            Self.page([("wlan0", Self.story)], at: 61, [.onHold(.untilReleased)])
                .split(separator: "\n").map(String.init))
        let wlan0 = #"interface="wlan0""#
        for line in [
            #"build_info{version="1.2"} 1"#, "start_time_seconds 1790000000",
            "condition{\(wlan0),condition=\"healthy\"} 1", "condition{\(wlan0),condition=\"sick\"} 0",
            "condition_changes_total{\(wlan0),condition=\"healthy\"} 3",
            "condition_changes_total{\(wlan0),condition=\"sick\"} 2",
            "condition_start_timestamp_seconds{\(wlan0)} 1790000060",
            "last_outage_end_timestamp_seconds{\(wlan0)} 1790000060",
            "last_outage_duration_seconds{\(wlan0)} 40",
            "degraded{\(wlan0),by=\"loss\"} 1", "degraded{\(wlan0),by=\"latency\"} 0",
            "signal_dbm{\(wlan0)} -48",
            "checks_total{\(wlan0),verdict=\"healthy\"} 3", "checks_total{\(wlan0),verdict=\"sick\"} 2",
            "checks_total{\(wlan0),verdict=\"unknown\"} 0",
            "faults_total{\(wlan0),layer=\"gateway\"} 2", "faults_total{\(wlan0),layer=\"dns\"} 0",
            "last_check_timestamp_seconds{\(wlan0)} 1790000060",
            "next_check_timestamp_seconds{\(wlan0)} 1790000120",
            "hold_active{\(wlan0)} 1", "quiet_active{\(wlan0)} 0",
            "bounces_total{\(wlan0),outcome=\"healthy\"} 1", "bounces_total{\(wlan0),outcome=\"failed\"} 0",
            "bounce_causes_total{\(wlan0),cause=\"gateway\"} 1",
            "bounce_causes_total{\(wlan0),cause=\"asked\"} 0",
            "bounce_methods_total{\(wlan0),method=\"bounce\"} 1",
            "bounce_held_total{\(wlan0),reason=\"backing_off\"} 1",
            "last_bounce_timestamp_seconds{\(wlan0)} 1790000013",
            "last_reboot_timestamp_seconds{\(wlan0)} 1790000001",
            "bounce_down_seconds_bucket{\(wlan0),le=\"3\"} 0",
            "bounce_down_seconds_bucket{\(wlan0),le=\"5\"} 1",
            "bounce_down_seconds_bucket{\(wlan0),le=\"+Inf\"} 1",
            "bounce_recovery_seconds_bucket{\(wlan0),le=\"0.25\"} 0",
            "bounce_recovery_seconds_sum{\(wlan0)} 4.25", "bounce_recovery_seconds_count{\(wlan0)} 1",
            "probes_total{\(wlan0),probe=\"icmp\",result=\"ok\"} 3",
            "probes_total{\(wlan0),probe=\"icmp\",result=\"failed\"} 2",
            "probe_rtt_seconds_sum{\(wlan0),probe=\"icmp\"} 0.0045",
            "probe_rtt_seconds_count{\(wlan0),probe=\"icmp\"} 3",
            "probe_loss_ratio{\(wlan0)} 0.25",
        ] {
            #expect(lines.contains("wifi_toggler_" + line))
        }
        #expect(!lines.contains { $0.contains("\"tcp\"") }, "a kind of probe that nobody asked for")
    }

    @Test("after a boot, an outage that the reboot or power cut interrupted is known")
    func outageBeforeStart() {
        func values(_ interfaceStatus: InterfaceStatus) -> [String] {
            Self.page([("w", interfaceStatus)], at: 61).split(separator: "\n").map(String.init).filter {
                $0.hasPrefix("wifi_toggler_last_outage_") || $0.hasPrefix("wifi_toggler_last_reboot_")
            }
        }
        func known(end: Int, duration: Int) -> [String] {
            [
                #"wifi_toggler_last_outage_end_timestamp_seconds{interface="w"} \#(end)"#,
                #"wifi_toggler_last_outage_duration_seconds{interface="w"} \#(duration)"#,
            ]
        }
        // Ten minutes before the current time, which is 1790000061.
        let earlier = PastMoment(at: Timestamp(wall: 1_789_999_461_000, boot: "earlier", sinceBoot: 5000))
        let later = PastMoment(at: Timestamp(wall: 1_789_999_471_000, boot: "earlier", sinceBoot: 15_000))
        var interfaceStatus = InterfaceStatus(at: Self.start)
        #expect(values(interfaceStatus).isEmpty)
        interfaceStatus.recall(PastEvents(sickSince: earlier))
        #expect(values(interfaceStatus).isEmpty, "it may last")
        interfaceStatus.take(Self.cycle(Self.answers, .none, .undetermined, .healthy), at: Self.at(21))
        #expect(values(interfaceStatus) == known(end: 1_790_000_021, duration: 560))
        // The first check may end before the history was read.
        var quick = InterfaceStatus(at: Self.start)
        quick.take(Self.cycle(Self.answers, .none, .undetermined, .healthy), at: Self.at(21))
        quick.recall(PastEvents(sickSince: earlier))
        #expect(values(quick) == values(interfaceStatus))
        // If the radio is blocked after the boot, the outage is over, and a later one is another one.
        var blocked = InterfaceStatus(at: Self.start)
        blocked.recall(PastEvents(sickSince: earlier))
        let refused = Self.cycle(
            Verdict(.sick, layer: .radio, reason: .radioBlocked(.soft)), .refused(.radioBlocked(.soft)),
            .undetermined, .undetermined, streak: 0)
        for second in [21, 31] { blocked.take(refused, at: Self.at(second)) }
        #expect(values(blocked) == known(end: 1_790_000_021, duration: 560))
        // If the link is sick after the boot, the same outage continues until the link is healthy.
        var still = InterfaceStatus(at: Self.start)
        still.recall(
            PastEvents(outage: PastOutage(begin: earlier, end: later), sickSince: later, reboot: later))
        still.take(Self.cycle(Self.sick, .none, .undetermined, .sick), at: Self.at(21))
        let reboot = #"wifi_toggler_last_reboot_timestamp_seconds{interface="w"} "#
        #expect(values(still) == known(end: 1_789_999_471, duration: 10) + [reboot + "1789999471"])
        still.rebooted(at: Self.at(22))
        still.take(Self.cycle(Self.answers, .none, .sick, .healthy), at: Self.at(31))
        #expect(values(still) == known(end: 1_790_000_031, duration: 560) + [reboot + "1790000022"])
        // The interface disappears before a check has ended: a later outage is another one.
        var gone = InterfaceStatus(at: Self.start)
        gone.recall(PastEvents(sickSince: earlier))
        gone.take(.step(.absent), at: Self.at(5))
        gone.take(Self.cycle(Self.sick, .none, .undetermined, .sick), at: Self.at(21))
        gone.take(Self.cycle(Self.answers, .none, .sick, .healthy), at: Self.at(31))
        #expect(values(gone) == known(end: 1_790_000_031, duration: 10))
    }

    @Test("the time in which the radio was blocked is no part of the outage after it")
    func outageAfterBlock() {
        let blocked = Verdict(.sick, layer: .radio, reason: .radioBlocked(.soft))
        let refused = CycleReport.Action.refused(.radioBlocked(.soft))
        let reports = [
            Self.cycle(Self.answers, .none, .undetermined, .healthy),
            Self.cycle(blocked, refused, .healthy, .undetermined, streak: 0),
            Self.cycle(blocked, refused, .undetermined, .undetermined, streak: 0),
            Self.cycle(Self.sick, .none, .undetermined, .undetermined),
            Self.cycle(Self.sick, .none, .undetermined, .undetermined),
            Self.cycle(Self.sick, .none, .undetermined, .sick),
            Self.cycle(Self.answers, .none, .sick, .healthy),
        ]
        var interfaceStatus = InterfaceStatus(at: Self.start)
        for (place, report) in reports.enumerated() {
            interfaceStatus.take(report, at: Self.at(place * 10))
        }
        let line = #"wifi_toggler_last_outage_duration_seconds{interface="w"} 30"#
        #expect(Self.page([("w", interfaceStatus)], at: 61).split(separator: "\n").contains { $0 == line })
    }

    @Test("failures, requested bounces, and raises after an rfkill block are counted separately")
    func causes() {
        var interfaceStatus = InterfaceStatus(at: Self.start)
        let failure = Failure(kind: .other, code: 5, description: "Input/output error")
        interfaceStatus.take(.step(.beginning(.bounce, nil)), at: Self.at(1))
        interfaceStatus.take(Self.cycle(Self.sick, .failed(.lowering, failure), .sick, .sick), at: Self.at(2))
        interfaceStatus.take(.step(.raisingAfterBlock), at: Self.at(3))
        let raised = BounceSummary(down: .zero, recovery: nil, restoration: Restoration(), methods: [])
        interfaceStatus.take(Self.cycle(Self.sick, .raised(raised), .sick, .sick), at: Self.at(4))
        let lines = Self.page([("w", interfaceStatus)], at: 5).split(separator: "\n").map(String.init)
        for line in [
            #"bounces_total{interface="w",outcome="failed"} 1"#,
            #"bounces_total{interface="w",outcome="sick"} 1"#,
            #"bounce_causes_total{interface="w",cause="asked"} 1"#,
            #"bounce_causes_total{interface="w",cause="rfkill"} 1"#,
            // A failed action reports the verdict that caused it. That verdict is not counted again.
            #"checks_total{interface="w",verdict="sick"} 1"#,
            #"bounce_down_seconds_count{interface="w"} 0"#,
        ] {
            #expect(lines.contains("wifi_toggler_" + line))
        }
    }

    @Test("an interface name cannot forge a line or a label, or steer a terminal")
    func hostile() {
        let names = [#"a"} 1"#, "b\\", "c\n# HELP", "\u{301}d", "e\r", "\u{1b}[2J\u{9b}\u{202e}"]
        let text = Self.page(names.map { ($0, InterfaceStatus(at: Self.start)) }, at: 1)
        let lines = text.utf8.split(separator: UInt8(ascii: "\n")).compactMap { String($0) }
        let held = lines.filter { $0.hasPrefix("wifi_toggler_hold_active{") }
        #expect(
            held.map { $0.dropFirst("wifi_toggler_hold_active{interface=".utf8.count) } == [
                #""a\"} 1"} 0"#, #""b\\"} 0"#, #""c\n# HELP"} 0"#, "\"\u{301}d\"} 0",
                #""e\\u{d}"} 0"#, #""\\u{1b}[2J\\u{9b}\\u{202e}"} 0"#,
            ])
        #expect(lines.allSatisfy { $0.hasPrefix("wifi_toggler_") || $0.hasPrefix("# ") })
    }

    @Test("each metric family appears once, with all its lines together")
    func families() {
        let page = Self.page([("wlan0", Self.story), ("wlan1", Self.story)], at: 61)
        let lines = page.split(separator: "\n").map(String.init)
        #expect(Set(lines).count == lines.count)
        var family = ""
        for line in lines {
            if line.hasPrefix("# TYPE ") { family = String(line.split(separator: " ")[2]) }
            if !line.hasPrefix("#") { #expect(line.hasPrefix(family), "below \(family)") }
        }
        #expect(lines.count { $0.hasPrefix("# TYPE ") } == MetricFamily.all.count + 2)
    }

    @Test(
        "each metric in the alerts and the dashboard is on the page",
        arguments: ["wifi-toggler.rules.yml", "dashboard.json"])
    func named(file: String) throws {
        let url = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "contrib/monitoring/" + file)
        let text = try String(contentsOf: url, encoding: .utf8)
        let there = Set(
            Self.page([("wlan0", Self.story)], at: 61).split(separator: "\n").map { line in
                String(line.prefix { $0 != "{" && $0 != " " })
            })
        var named: Set<String> = []
        for rest in text.split(separator: MetricFamily.prefix).dropFirst() {
            named.insert(MetricFamily.prefix + rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" })
        }
        #expect(named.count > 5)
        #expect(named.subtracting(there).isEmpty)
    }
}

@Suite("When metrics are written") struct MetricsCadenceTests {
    private static func record(_ change: HealthChange, next why: NextCheck.Why) -> Record {
        let verdict = Verdict(.sick, layer: .gateway, reason: .gatewaySilent([]))
        let cycle = CycleReport(
            verdict: verdict, action: .none, change: change, next: NextCheck(at: at(5), why: why),
            quality: nil, outcome: .healthy)
        return Record(.cycle(cycle), about: "wlan0", at: at(0))
    }

    @Test("the check after one that was made before its time is news, because the file has told its time")
    func expected() {
        var cadence = MetricsCadence()
        let same = HealthChange(before: .healthy, after: .healthy, streak: 1)
        let worse = HealthChange(before: .healthy, after: .sick, streak: 1)
        let records = [
            Self.record(same, next: .schedule), Self.record(worse, next: .schedule),
            Self.record(same, next: .recheck), Self.record(same, next: .schedule),
            Self.record(same, next: .schedule), .renamed("wlan0", to: "wifi", at: Self.at(0)),
        ]
        let news = records.map { cadence.isNews($0) }
        #expect(news == [false, true, false, true, false, true])
    }

    private static func at(_ seconds: Double) -> Instant {
        Instant(nanoseconds: 1_000_000_000_000) + .milliseconds(Int64(seconds * 1000))
    }

    @Test("metrics are written at once, then changes at most once a second, else every 30 seconds")
    func cadence() {
        var cadence = MetricsCadence()
        #expect(cadence.due(isNews: false, at: Self.at(0)) == Self.at(0))
        #expect(cadence.due(isNews: true, at: Self.at(0)) == nil, "it is planned")
        cadence.wrote(at: Self.at(0))
        #expect(cadence.due(isNews: false, at: Self.at(29)) == nil)
        #expect(cadence.due(isNews: true, at: Self.at(29)) == Self.at(29))
        cadence.wrote(at: Self.at(29))
        #expect(cadence.due(isNews: true, at: Self.at(29.5)) == Self.at(30))
        #expect(cadence.due(isNews: true, at: Self.at(29.7)) == nil, "it is planned")
        cadence.wrote(at: Self.at(30))
        #expect(cadence.due(isNews: false, at: Self.at(60)) == Self.at(60))
    }
}
