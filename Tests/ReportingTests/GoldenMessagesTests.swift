import Foundation
import Model
import TestSupport
import Testing

@testable import Reporting
@testable import Toggling

/// contrib/docs/messages.txt has an example of each message for people. The program itself makes the
/// examples, so that a reader sees all messages in one place. `UPDATE_GOLDEN=1 contrib/test --only unit
/// --filter Golden` writes the file anew.
@Suite("Golden messages") struct GoldenMessagesTests {
    private static let now = Instant(nanoseconds: 0)
    private static let gateway = IPAddress("192.0.2.1")!
    private static let host = ProbeRequest.Question.tcp(.name("www.example.net"), port: 443)
    private static let name = ProbeRequest.Question.dns(name: "www.example.net", server: gateway)
    private static let page = ProbeRequest.Question.http(HTTPQuestion(url: "http://www.example.net/"))
    private static let refused = Failure(kind: .busy, code: 16, description: "Device or resource busy")
    private static let sick = Verdict(.sick, layer: .gateway, reason: .gatewaySilent([gateway]))

    private static func sick(with condition: RadioCondition) -> Verdict {
        Verdict(
            .sick, layer: .association, reason: condition == .closed ? .closedByKernel : .notAssociated,
            evidence: [.association(nil), .radioCondition(condition)])
    }

    private static func lost(_ loss: LossOfInterface) -> Verdict {
        Verdict(
            .sick, layer: .radio, reason: .interfaceLost, evidence: [.radioCondition(.lostInterface(loss))])
    }

    /// The verdict if systemd-resolved hangs.
    private static let withoutNames: Verdict = {
        let question = ProbeRequest.Question.dns(name: "www.example.net", server: IPAddress("127.0.0.53"))
        return Verdict(
            .sick, layer: .dns, reason: .nameServerSilent([question]),
            evidence: [.owner(OwnerCondition(.resolved, .hung))])
    }()

    /// Reasons of healthy verdicts: answered probes.
    private static let answers: [Reason] = [
        host, name, page, .dns(name: "www.example.net", server: nil),
        .command("/usr/local/libexec/check-vpn"), .neighbour(gateway),
    ].map { .probeAnswered($0) }

    /// All other reasons. The first three are also reasons of healthy verdicts.
    private static let reasons: [Reason] = [
        .gatewayConfirmed(gateway, ago: .seconds(2)), .probeAnswered(.icmp(.address(gateway))),
        .nothingWrongInKernel, .radioBlocked(.soft), .radioBlocked(.hard), .administrativelyDown,
        .notAssociated, .closedByKernel, .interfaceLost,
        .ssidNotFound(SSID("home".utf8), others: 4, ago: .seconds(9)), .disconnectedLocally,
        .notAuthorised(.dormant), .noCarrier, .noAddress, .addressNotReady, .gatewaySilent([gateway]),
        .gatewaySilent([gateway, IPAddress("fe80::1")!]),
        .gatewayEchoSilent([gateway], over: .seconds(300)), .gatewayRouteLost([gateway]),
        .targetSilent([host]), .nameServerSilent([name]),
        .answerWrong(name, detail: "192.0.2.1 says that there is no such name"),
        .portal(page, detail: "status 302"), .noGateway, .couldNotAsk(refused), .neverAnswered(host),
        .commandUndecided("/usr/local/libexec/check-vpn", refused), .kernelStateFailed(refused),
        .noAnswerFromSystem, .notVerified, .neverAssociated,
    ]

    private static let noBounceReasons: [NoBounceReason] = [
        .radioBlocked(.soft), .administrativelyDown, .notWireless, .notStation(.monitor), .absent,
        .cannotHelp(.internet), .backingOff(until: now + .seconds(54)),
        .budgetSpent(until: now + .seconds(1900)), .useless(bounces: 3, until: now + .seconds(3600)),
        .early(until: now + .seconds(8)), .awaitingCAC(frequency: 5500, until: now + .seconds(50)),
        .onHold(.until(now + .seconds(1800))), .onHold(.untilReleased), .quiet(until: now + .seconds(7200)),
        .quiet(until: now + .seconds(7 * 86400 - 60)),
        .inUse(from: IPAddress("192.0.2.9")!, others: 1),
        .alive(Liveness(peer: IPAddress("192.0.2.9")!, manner: .neighbour, heard: .seconds(3))),
        .toldToDisconnect(.networkManager), .noReboot(.neverWorked), .noReboot(.unknownRoutes),
        .noReboot(.unrecordable),
        .noReboot(.limit(until: now + .seconds(70_000))), .noReboot(.failed(until: now + .seconds(600))),
        .noReboot(.uplink("eth0")), .noReboot(.login("alice")), .dryRun([.bounce]),
        .dryRun([.owner, .bounce]),
        .dryRun([.reboot]), .dryRun([]),
    ]

    private static func cycle(_ verdict: Verdict, _ action: CycleReport.Action = .none) -> Report {
        .cycle(
            CycleReport(
                verdict: verdict, action: action,
                change: HealthChange(before: .healthy, after: .sick, streak: 3),
                next: NextCheck(at: now + .seconds(60), why: .schedule)))
    }

    private static let log: [Report] = [
        .watching(Settings(), first: now),
        cycle(Verdict(.healthy, reason: .gatewayConfirmed(gateway, ago: .seconds(2)))), cycle(sick),
        .step(.beginning(.reboot, sick)), .step(.beginning(.bounce, sick)),
        .step(.beginning(.reset, sick(with: .refusesScans(.badExchange)))),
        .step(.beginning(.reset, sick(with: .crashed))), .step(.beginning(.reset, sick(with: .closed))),
        .step(.beginning(.reset, lost(.bound))),
        .step(.beginning(.reset, lost(.unbound))), .step(.beginning(.reset, lost(.removed))),
        .step(.beginning(.restartOwner, withoutNames)),
        .step(
            .passedOver(
                .reset, .guarding,
                Failure(
                    kind: .unavailable,
                    description: "the interface has no device on USB, PCI or SDIO"),
                next: .bounce)),
        .step(.lowered(keptDownFor: .seconds(3))),
        .step(.raised(downFor: .milliseconds(3002))), .step(.scanAborted(heard: .milliseconds(900))),
        .step(.operational(after: .milliseconds(400))),
        .step(.ownerOverdue(.networkManager, missing: ["192.0.2.7/24"])),
        cycle(
            Verdict(.healthy, reason: .gatewayConfirmed(gateway, ago: .milliseconds(5))),
            .bounced(
                BounceSummary(
                    down: .seconds(3), recovery: .seconds(2),
                    restoration: Restoration(
                        lost: ["default via 192.0.2.1 dev wlan0", "198.51.100.0/24 dev wlan0"],
                        restored: ["default via 192.0.2.1 dev wlan0"],
                        refused: [.init(description: "198.51.100.0/24 dev wlan0", failure: refused)]),
                    methods: [.bounce]))),
        cycle(sick, .failed(.lowering, refused)), cycle(sick, .held(.backingOff(until: now + .seconds(54)))),
        cycle(sick, .skipped(.cannotHelp(.internet))), cycle(sick, .refused(.radioBlocked(.soft))),
        .step(.escalating(from: .bounce, to: .rfkill, sick)),
        .step(.passedOver(.reassociate, .performing, refused, next: .bounce)), .step(.raisingAfterBlock),
        .step(.raisedByOther), .step(.loweredByOther), .step(.guardLost),
        .step(.restoredLate(restored: ["default via 192.0.2.1 dev wlan0"], givenUp: ["192.0.2.7/24"])),
        .step(.raiseFailed(refused, retryAt: nil)), .step(.finishing), .step(.absent),
        .step(.notRecovered(.interfaceLost, .budgetSpent(until: now + .seconds(3600)))),
        .step(.notRecovered(nil, .noReboot(.login("alice")))),
    ]

    /// Lines about the link's quality, about power saving that is kept off, and about announced addresses.
    private static var otherLines: [Line] {
        let slow = Quality(
            probes: 20, lost: 6, roundTrip: .milliseconds(640), degradations: [.loss, .latency],
            savesPower: true)
        let fine = Quality(probes: 20, lost: 0, roundTrip: .milliseconds(4))
        var powerSave = PowerSaveLog()
        var announcements = AnnouncementLog()
        let switches: [Result<Bool, Failure>] =
            Array(repeating: .success(true), count: 5) + [.failure(refused)]
        let name = DriverName("brcmfmac", on: "sdio")
        let rule = DriverRule(name, file: "/usr/share/wifi-toggler/drivers.conf", line: 13)
        var other = PowerSaveLog()
        let ruled = other.line(for: .success(true), because: .rule(rule, name), isDryRun: false, at: now)
        let announced = AnnouncementResult(
            announced: [gateway], problems: [.omitted(gateway), .noRawSockets, .failed(refused)])
        return [slow.news(after: nil), fine.news(after: slow)].compactMap(\.self)
            + switches.compactMap { powerSave.line(for: $0, because: .setting, isDryRun: false, at: now) }
            + [ruled].compactMap(\.self)
            + announcements.lines(for: announced)
    }

    /// Lines of a guard, and of `repair`.
    private static var finishedBounces: [Line] {
        let restoration = Restoration(
            lost: ["default via 192.0.2.1 dev wlan0"], restored: ["default via 192.0.2.1 dev wlan0"])
        let ends: [FinishedBounce] = [
            .finished(wasDown: true, restoration), .finished(wasDown: false, Restoration()), .leftDown, .gone,
            .notRaised(refused),
        ]
        let finishers: [FinishedBounce.Finisher] = [.guardOfTheDead, .guardOfTheLate]
        return finishers.flatMap { ends[0].lines(by: $0, interface: "wlan0") }
            + ends.flatMap { $0.lines(by: .repair, interface: "wlan0") }
    }

    /// Lines about what happens to an interface between two checks.
    private static var others: [Line] {
        let hold = AdministrativeHold.until(now + .seconds(1800))
        var formatter = LogFormatter(verbosity: .normal)
        return [
            Record.held(hold, after: nil, about: "wlan0", at: now),
            .held(.untilReleased, after: hold, about: "wlan0", at: now),
            .held(nil, after: .untilReleased, about: "wlan0", at: now),
            .held(nil, after: hold, about: "wlan0", at: now + .seconds(1800)),
            .renamed("wlan0", to: "wlan1", at: now),
        ].flatMap { formatter.lines(for: $0) }
    }

    @MainActor private static func text() throws -> String {
        var formatter = LogFormatter(verbosity: .normal)
        let told = log.flatMap { formatter.lines(for: $0, interface: "wlan0", at: now) }
        var verbose = LogFormatter(verbosity: .verbose)
        let reasoning = verbose.lines(for: cycle(sick), interface: "wlan0", at: now)
        let parts: [(String, [String])] = [
            (
                "Verdicts: why a link is healthy, sick or unknown",
                (answers + reasons).map { $0.description(interface: "wlan0") }
            ),
            ("What would change a verdict", ReasoningExamples.doubts(Array(reasons.dropFirst(3)))),
            ("Whether a bounce follows", ReasoningExamples.bounces),
            ("The evidence", ReasoningExamples.evidence),
            ("The evidence of probes by a command or the helper", FailureExamples.probes),
            ("What the helper finds", try HelperExamples.lines()),
            ("Why the kernel could not be asked", FailureExamples.kernel),
            (
                "Why nothing is done about a sick link",
                noBounceReasons.map { $0.description(interface: "wlan0", at: now) }
            ),
            ("The log", told.map { "\($0.level): \($0.text)" }),
            ("One verdict with --verbose", reasoning.map { "\($0.level): \($0.text)" }),
            (
                "The log: quality, power saving and announcements",
                otherLines.map { "\($0.level): wlan0: \($0.text)" }
            ),
            (
                "The log: bounces that a guard or 'repair' finished",
                finishedBounces.map { "\($0.level): \($0.text)" } + FailureExamples.forged
                    + FailureExamples.powerSave
            ),
            ("The log: hooks that are told of events", FailureExamples.hooksOfEvents),
            ("The log: holds and names", others.map { "\($0.level): \($0.text)" }),
            ("The log: each method, from its beginning to its result", LogExamples.methods),
            ("The log: why a method was not carried out", FailureExamples.methods),
            ("The log: rare messages, and messages with --verbose", LogExamples.rare),
            ("The log: which interfaces a service watches", LogExamples.selections),
            ("The terminal: what the program waits for", LogExamples.progress),
            ("The table of list --verbose", LogExamples.list),
            ("The status of a sick link, with dry-run in its section", SickLink.status),
            ("The status of other links", StatusExamples.answers),
            ("The names of the states, and what status says instead", StatusExamples.states),
            ("What status --watch adds to that", StatusExamples.watch),
            ("What doctor finds of the same link at the same moment", SickLink.doctor),
            (
                "All that doctor can find",
                SetupFindingTextTests.kinds.flatMap { SetupFinding($0, of: "wlan0").lines }
                    + [SetupFinding.nothing]
            ),
            (
                "What doctor --verbose says of a link with --method auto",
                RemedyRow.lines(for: "wlan0", under: nil) + RemedyRow.lines(for: "wlan1", under: cautious)
            ),
            ("How the owners were found, in the JSON of status and list", try OwnerExamples.evidence()),
            (
                "The history",
                HistoryText(
                    HistoryShownTests.timeline, isVerbose: false, wallTime: HistoryShownTests.wallTime
                )
                .lines
            ),
            ("Another history: how outages end", FileExamples.history),
            ("The page of the same history, without its pictures", PageExamples.text),
            ("What a screen reader says about the pictures of that page", PageExamples.pictures),
            ("Pages of other histories, without the lines of that page", PageExamples.others),
            ("What the control socket says of a history that cannot be read", try FileExamples.slowDisk()),
            ("What the metrics mean", MetricsPageTests.help),
            ("Mistakes", try CommandExamples.errors()),
            ("Mistakes in a driver file", FileExamples.refusedDrivers + FileExamples.drivers),
            ("Mistakes in a trace", FileExamples.traces),
            ("The settings, with --check", try CommandExamples.settings()),
            (
                "Valid settings that are probably not intended, with --check and in the log",
                try CommandExamples.warnings()
            ),
            ("The help of each command, without the lines of earlier help texts", try CommandExamples.help()),
        ]
        return "What the program tells a person. Made by GoldenMessagesTests and ExampleMessagesTests.\n"
            + parts.map { "\n== \($0) ==\n" + $1.map { $0 + "\n" }.joined() }.joined()
    }

    @Test("the file of example messages has what the program writes")
    @MainActor func examples() throws {
        let differences = try ExampleMessages.differences(.made, Self.text())
        #expect(differences == [])
    }

    /// A rule that forbids methods of `--method auto`.
    private static var cautious: DriverRule {
        var rule = DriverRule(
            DriverName("mt7925e", on: "pci"), file: "/etc/wifi-toggler/drivers.conf", line: 3)
        rule.forbidden = [.bounce, .reset]
        return rule
    }

    @Test("the examples of status and doctor are about one link, and agree on owner, layer and next method")
    func oneSituation() throws {
        let answer = SickLink.answer
        let interface = try #require(answer["interface"]?.string)
        let ofLink = SickLink.findings.filter { $0.interface != nil }
        #expect(ofLink.count == 2 && ofLink.allSatisfy { $0.interface == interface })
        #expect(SickLink.status[0].hasPrefix("\(interface): sick for "))

        let finding = try #require(ofLink.first { $0.kind == .ownerCondition(SickLink.condition) })
        let owner = SickLink.condition.owner.rawValue
        #expect(answer["owner"]?["station"]?.texts("names") == [owner])
        #expect(ofLink.allSatisfy { $0.reason.contains(owner) })

        let layer = try #require(SickLink.kernelState.fault?.layer.rawValue)
        #expect(answer["layer"]?.string == layer)
        let row = answer.texts("reasoning").first { $0.hasPrefix("|- \(layer): sick") }
        #expect(row?.contains(finding.reason) == true, "\(SickLink.status)")

        guard case .skipped(.dryRun(let methods))? = SickLink.lastCheck?.action, let next = methods.first
        else {
            Issue.record("\(String(describing: SickLink.lastCheck?.action))")
            return
        }
        let order = methods.map(\.rawValue).joined(separator: ", then ")
        #expect(answer.texts("held") == ["dry run: would now try \(order)"])
        // The remedy, `reconnect`, tries that method too. It has no --method, because such a run would need
        // the running service's lock.
        #expect(next == .owner || next == .restartOwner)
        #expect(finding.remedy.hasPrefix("run 'sudo wifi-toggler reconnect \(interface)', which "))
    }

    @Test("status and doctor for a sick link each fit on a terminal of 80 by 24")
    func screen() {
        let rows = 24 - 1
        let all = [
            ("status", SickLink.status), ("status", SickLink.longStatus), ("doctor", SickLink.doctor),
        ]
        for (command, lines) in all {
            #expect(SickLink.rows(lines) <= rows, "\(command): \(lines.joined(separator: "\n"))")
        }
    }

    @Test("each reason not to bounce has an example")
    func complete() {
        #expect(Set(Self.noBounceReasons.map(\.kind)) == Set(NoBounceReason.Kind.allCases))
    }
}
