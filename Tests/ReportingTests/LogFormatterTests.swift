import Model
import Testing

@testable import Reporting
@testable import Toggling

@Suite("The log formatter") struct LogFormatterTests {
    private static let now = Instant(nanoseconds: 0)
    private static let gateway = IPAddress("10.0.0.1")!

    private static func cycle(
        _ conclusion: Verdict.Conclusion, _ layer: Layer? = nil, _ reason: Reason,
        _ action: CycleReport.Action = .none, next: Bool = true
    ) -> Report {
        .cycle(
            CycleReport(
                verdict: Verdict(conclusion, layer: layer, reason: reason), action: action,
                change: HealthChange(before: .healthy, after: .healthy, streak: 1),
                next: next ? NextCheck(at: now + .seconds(60), why: .schedule) : nil))
    }

    private static let healthy = cycle(.healthy, nil, .probeAnswered(.neighbour(gateway)))
    private static let sick = cycle(.sick, .gateway, .gatewaySilent([gateway]))

    @Test("a healthy check is logged once, and again only after another message")
    func transitions() {
        var formatter = LogFormatter(verbosity: .normal)
        let counts = [Self.healthy, Self.healthy, Self.sick, Self.sick, Self.healthy].map {
            formatter.lines(for: $0, interface: "wlan0", at: Self.now).count
        }
        #expect(counts == [1, 0, 1, 0, 1])
    }

    @Test("an aborted scan is logged only with --verbose")
    func fastReconnect() {
        let report = Report.step(.scanAborted(heard: .milliseconds(1200)))
        for (verbosity, lines) in [
            (.normal, []),
            (
                .verbose,
                [
                    Line(
                        .info, "wlan0: the owner's scan was aborted: the network was found 1.2s ago")
                ]
            ),
        ] as [(Verbosity, [Line])] {
            var formatter = LogFormatter(verbosity: verbosity)
            #expect(formatter.lines(for: report, interface: "wlan0", at: Self.now) == lines)
        }
    }

    @Test("if the next check is overdue, the line says `in 0ms`, not a time in the past")
    func overdue() {
        var formatter = LogFormatter(verbosity: .normal)
        let lines = formatter.lines(for: Self.sick, interface: "wlan0", at: Self.now + .seconds(61))
        #expect(lines.first?.text.hasSuffix("; next check in 0ms (schedule)") == true, "\(lines)")
    }

    @Test("--verbose logs every cycle, --quiet only errors")
    func verbosity() {
        var verbose = LogFormatter(verbosity: .verbose)
        var quiet = LogFormatter(verbosity: .quiet)
        for report in [Self.healthy, Self.healthy, Self.sick] {
            #expect(!verbose.lines(for: report, interface: "wlan0", at: Self.now).isEmpty)
            #expect(quiet.lines(for: report, interface: "wlan0", at: Self.now).isEmpty)
        }
        let failure = Failure(kind: .busy, code: 16, description: "Device or resource busy")
        let failed = Self.cycle(.sick, .gateway, .gatewaySilent([]), .failed(.lowering, failure), next: false)
        #expect(
            quiet.lines(for: failed, interface: "wlan0", at: Self.now) == [
                Line(.error, "wlan0: could not lower the link: Device or resource busy")
            ])
    }

    @Test(
        "an error names the interface, the kernel's error text and the remedy",
        arguments: [
            (
                Failure(kind: .radioBlocked, code: 132, description: "Operation not possible due to RF-kill"),
                " (run 'sudo rfkill unblock wlan')"
            ),
            (
                Failure(kind: .notPermitted, code: 1, description: "Operation not permitted"),
                " (needs CAP_NET_ADMIN: run as root)"
            ),
            (
                Failure(kind: .notPermitted, code: 30, description: "Read-only file system"),
                " (run as root, or give the service the drop-in root.conf)"
            ),
            (Failure(kind: .radioBlocked, description: "the switch is off (turn it)"), ""),
        ])
    func remedies(failure: Failure, remedy: String) throws {
        var formatter = LogFormatter(verbosity: .quiet)
        let step = Report.step(.raiseFailed(failure, retryAt: nil))
        let line = try #require(formatter.lines(for: step, interface: "wlan0", at: Self.now).first)
        let words = "\(failure.description)\(remedy)"
        #expect(line.text.hasPrefix("wlan0: could not raise the link: \(words), giving up"))
    }

    @Test("an item that the kernel refuses is logged as an error, one that is still missing as a warning")
    func restoration() {
        let failure = Failure(kind: .other, description: "Network is unreachable")
        let summary = BounceSummary(
            down: .seconds(3), recovery: .seconds(1),
            restoration: Restoration(
                lost: ["a", "b", "c"], restored: ["a"], refused: [.init(description: "b", failure: failure)]))
        var formatter = LogFormatter(verbosity: .normal)
        let report = Self.cycle(.healthy, nil, .nothingWrongInKernel, .bounced(summary))
        let lines = formatter.lines(for: report, interface: "wlan0", at: Self.now).dropFirst()
        #expect(
            Array(lines) == [
                Line(.notice, "wlan0: restored: a"),
                Line(.error, "wlan0: could not restore b: Network is unreachable"),
                Line(.warning, "wlan0: still missing: c"),
            ])
    }

    @Test("each method of the ladder is logged, with the reason why the next one is tried")
    func ladder() {
        let mute = Verdict(.sick, layer: .gateway, reason: .gatewaySilent([IPAddress("192.0.2.1")!]))
        let none = Failure(kind: .unavailable, description: "no wpa_supplicant has a control socket")
        let steps: [Report.Step] = [
            .beginning(.reassociate, nil), .passedOver(.reassociate, .performing, none, next: .bounce),
            .escalating(from: .bounce, to: .rfkill, mute),
            .passedOver(.rfkill, .lowering, Failure(kind: .busy, description: "busy"), next: nil),
        ]
        var formatter = LogFormatter(verbosity: .normal)
        let lines = steps.flatMap { formatter.lines(for: .step($0), interface: "w", at: Self.now) }
        #expect(
            lines == [
                Line(.notice, "w: asking its owner to reassociate: requested by toggle or --force"),
                Line(.notice, "w: reassociate: no wpa_supplicant has a control socket; bouncing the link"),
                Line(
                    .warning,
                    "w: bounce did not help: still sick at layer gateway: the gateway 192.0.2.1 does not answer;"
                        + " switching the radio off and on by rfkill"),
                Line(.warning, "w: rfkill: could not lower the link: busy"),
            ])
    }

    @Test("an action is named `bounced` if a method took the link down, else `recovered`")
    func actions() {
        func word(_ methods: [Model.Method]) -> String {
            let summary = BounceSummary(
                down: .zero, recovery: nil, restoration: Restoration(), methods: methods)
            return CycleReport.Action.bounced(summary).word
        }
        #expect(word([.bounce]) == "bounced" && word([.reassociate, .rfkill, .hook]) == "bounced")
        #expect(word([.reassociate]) == "recovered" && word([.reassociate, .hook]) == "recovered")
        #expect(word([.reassociate, .owner]) == "recovered" && word([.owner, .bounce]) == "bounced")
    }

    @Test("the plain timer logs at its start how often it bounces, and how long the link is down each time")
    func start() throws {
        var settings = Settings()
        settings.isForced = true
        var formatter = LogFormatter(verbosity: .normal)
        let report = Report.watching(settings, first: Self.now)
        let line = try #require(formatter.lines(for: report, interface: "wlan0", at: Self.now).first)
        #expect(line.text.contains("1m") && line.text.contains("3s"))
    }
}
