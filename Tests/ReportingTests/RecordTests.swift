import Model
import Testing

@testable import Reporting
@testable import Toggling

@Suite("Events between two checks") struct RecordTests {
    private static let start = Instant(nanoseconds: 1_000_000_000_000)
    private static let sick = Verdict(
        .sick, layer: .gateway, reason: .gatewaySilent([IPAddress("192.0.2.1")!]))
    private static let link = Link(
        index: InterfaceIndex(rawValue: 7), name: "wlan0", isUp: true, hasCarrier: true,
        operationalState: .up)

    private static func at(_ seconds: Int) -> Instant { start + .seconds(seconds) }

    private static func cycle(_ action: CycleReport.Action = .none) -> Report {
        .cycle(
            CycleReport(
                verdict: sick, action: action,
                change: HealthChange(before: .healthy, after: .sick, streak: 1), next: nil))
    }

    /// A record of every kind of event, made from its cause.
    private static let every: [Record] =
        [
            .watching(Settings(), first: start), .step(.absent), .step(.appeared(link)),
            .step(.beginning(.rfkill, sick)),
        ].map { record($0) } + [
            .renamed("wlan0", to: "wlan1", at: start),
            .held(.untilReleased, after: nil, about: "wlan0", at: start),
            .held(nil, after: .untilReleased, about: "wlan0", at: start),
        ]

    private static func record(_ report: Report) -> Record { Record(report, about: "wlan0", at: start) }
    private static func json(_ record: Record) -> JSONText { record.json(wallTime: { _ in "T" }) }

    @Test("each event has the keys of the Varlink description, and one of its words")
    func keys() throws {
        #expect(Set(Self.every.map(\.kind)) == Set(Record.Kind.allCases.filter(\.isEvent)))
        let text = ControlInterface.description
        let begin = try #require(text.range(of: "# The end of a cycle: "))
        let end = try #require(text.range(of: "type Event ("))
        let words = text[begin.upperBound..<end.lowerBound]
        for record in Self.every {
            let json = Self.json(record)
            #expect(json.keys == StatusTests.fields(of: "Event"))
            #expect(json["event"]?.string == record.kind.rawValue && record.isTold)
            #expect(words.contains(record.kind.rawValue), "\(record.kind)")
            #expect(!record.reason.isEmpty && json["reason"]?.string == record.reason)
        }
    }

    @Test("the reason of a requested bounce that could not begin does not claim that the link was raised")
    func notBegun() {
        let failure = Failure(kind: .other, description: "no process left")
        let cycle = CycleReport(
            verdict: Verdict(.unknown, reason: .notVerified), action: .failed(.guarding, failure),
            change: HealthChange(before: .undetermined, after: .undetermined, streak: 0), next: nil)
        let reason = Self.record(.cycle(cycle)).reason
        #expect(reason.hasPrefix("the health of the link was not checked; could not "), "\(reason)")
        #expect(reason.hasSuffix(": no process left") && !reason.contains("raised"), "\(reason)")
    }

    @Test("the start of a bounce has its cause and its method")
    func beginning() throws {
        let json = Self.json(Self.record(.step(.beginning(.rfkill, Self.sick))))
        #expect(json["verdict"]?.string == "sick" && json["layer"]?.string == "gateway")
        #expect(json["reason"]?.string == "the gateway 192.0.2.1 does not answer")
        #expect(json["methods"]?.elements.compactMap(\.string) == ["rfkill"])
        #expect(Self.record(.step(.beginning(.bounce, nil))).reason == "requested by toggle or --force")
        let raising = Self.record(.step(.raisingAfterBlock))
        #expect(raising.kind == .bounceBegun && raising.reason.hasPrefix("an rfkill block "))
    }

    @Test("the end of a check is an event without a name; later steps of a bounce are no events")
    func none() {
        let cycle = Self.record(Self.cycle())
        #expect(cycle.isTold && ["event"] + Self.json(cycle).keys == StatusTests.fields(of: "Event"))
        let reports: [Report] = [
            .step(.lowered(keptDownFor: .seconds(3))), .step(.raised(downFor: .seconds(3))),
            .step(.operational(after: .seconds(1))), .step(.finishing),
        ]
        for report in reports { #expect(!Self.record(report).isTold) }
    }

    @Test("an event that only repeats the known state is not sent")
    func news() {
        var interfaceStatus = InterfaceStatus(at: Self.start)
        let beginning = Report.step(.beginning(.bounce, Self.sick))
        let story: [(Report, Record.Kind?)] = [
            (.watching(Settings(), first: Self.start), .started),
            (.step(.appeared(Self.link)), nil),
            (.step(.absent), .absent), (.step(.absent), nil),
            (.step(.appeared(Self.link)), .appeared), (.step(.appeared(Self.link)), nil),
            (Self.cycle(), .checked),
            (beginning, .bounceBegun), (beginning, nil), (Self.cycle(), .checked), (beginning, .bounceBegun),
            (.step(.absent), .absent), (.step(.appeared(Self.link)), .appeared),
            (beginning, .bounceBegun),
        ]
        for (position, (report, kind)) in story.enumerated() {
            let record = interfaceStatus.take(report, at: Self.at(position))
            #expect((record.isTold ? record.kind : nil) == kind, "report \(position)")
        }
    }

    @Test("a hold is reported when it is set, changed or released, and when it expires")
    func hold() {
        var interfaceStatus = InterfaceStatus(at: Self.start)
        func note(_ administrativeHold: AdministrativeHold?, _ second: Int) -> Record? {
            interfaceStatus.note(administrativeHold, at: Self.at(second) + .milliseconds(1))
        }
        #expect(note(nil, 0) == nil)
        let set = note(.until(Self.at(3600)), 0)
        #expect(set?.kind == .holdSet)
        #expect(set?.reason == "no bounce for another 1h, unless a user asks for one")
        #expect(interfaceStatus.holdEnd == Self.at(3600))
        #expect(note(.until(Self.at(3600)), 1) == nil)
        #expect(note(.until(Self.at(7200)), 2)?.kind == .holdSet)
        #expect(note(nil, 3)?.reason.hasPrefix("released: ") == true)
        #expect(note(nil, 4) == nil && interfaceStatus.holdEnd == nil)
        #expect(note(.until(Self.at(10)), 5)?.kind == .holdSet)
        let over = note(nil, 10)
        #expect(over?.kind == .holdOver && over?.reason.hasPrefix("the time of the hold is over: ") == true)
        #expect(note(.untilReleased, 11)?.reason.contains("'wifi-toggler hold 0'") == true)
        #expect(interfaceStatus.holdEnd == nil)
        #expect(note(nil, 12)?.reason.hasPrefix("released: ") == true)
    }

    @Test(
        "a new monitoring client gets the last check and each hold, action or absence that lasts, by time"
    )
    func events() {
        var interfaceStatus = InterfaceStatus(at: Self.start)
        func told() -> [String] {
            let present = StatusTests.present(10)
            return StatusJSON(interfaceStatus, present).events.map {
                "\($0["event"]?.string ?? "cycle") \($0["time"]?.string ?? "")"
            }
        }
        #expect(told().isEmpty)
        _ = interfaceStatus.note(.untilReleased, at: Self.at(1))
        interfaceStatus.take(Self.cycle(), at: Self.at(2))
        interfaceStatus.take(.step(.beginning(.bounce, Self.sick)), at: Self.at(3))
        #expect(told() == ["hold-set T-9", "cycle T-8", "bounce-begun T-7"])
        interfaceStatus.take(Self.cycle(), at: Self.at(5))
        #expect(told() == ["hold-set T-9", "cycle T-5"])
        _ = interfaceStatus.note(nil, at: Self.at(6))
        interfaceStatus.take(.step(.absent), at: Self.at(7))
        #expect(told() == ["absent T-3"])
        interfaceStatus.take(.step(.appeared(Self.link)), at: Self.at(8))
        #expect(told().isEmpty)
    }

    @Test("each event is printed as one line; a verdict is printed again after the interface was gone")
    func lines() {
        var lines = EventLine(isVerbose: false)
        func line(_ record: Record) -> String? { lines.text(Self.json(record)) }
        let healthy = JSONText.object([
            ("time", "T"), ("interface", "wlan0"), ("verdict", "healthy"), ("action", "none"),
        ])
        #expect(lines.text(healthy) != nil && lines.text(healthy) == nil)
        for record in Self.every where record.kind != .bounceBegun {
            #expect(line(record) == "T wlan0: \(record.reason)")
        }
        #expect(lines.text(healthy) != nil, "it had gone")
        #expect(
            line(Self.record(.step(.beginning(.bounce, Self.sick))))
                == "T wlan0: a bounce begins: sick at layer gateway: the gateway 192.0.2.1 does not answer")
        #expect(
            line(Self.record(.step(.beginning(.bounce, nil))))
                == "T wlan0: a bounce begins: requested by toggle or --force")
        #expect(lines.text(healthy) == nil)
    }

    @Test(
        "an event with unknown words is printed as far as possible",
        arguments: [#"{"event":"x"}"#, #"{"event":""}"#])
    func stranger(text: String) throws {
        var lines = EventLine(isVerbose: false)
        let json = try JSONReader.value(of: Array(text.utf8)[...])
        #expect(lines.text(json) == "? ?: \(json["event"]?.string ?? "")")
    }
}
