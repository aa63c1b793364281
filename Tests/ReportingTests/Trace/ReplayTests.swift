import Model
import Testing
import Toggling

@testable import Reporting

@Suite("Replay of a trace") struct ReplayTests {
    /// The trace of a toggler that checks, probes the gateway and ends.
    private static func recorded(id: Int = 1) -> [String] {
        let beginning = Trace.Beginning(runMode: .watch, settings: Settings(), seed: 7)
        var toggler = beginning.toggler
        var at = Instant(nanoseconds: 5_000_000_000)
        func stamp() -> Trace.Stamp { Trace.Stamp(at: at, id: id, interface: "wlan0") }
        var text = Trace.beginning(beginning, stamp())
        let link = Link(
            index: InterfaceIndex(rawValue: 3), name: "wlan0", isUp: false, hasCarrier: false,
            operationalState: .down)
        let events: [Event] = [
            .started(isPresent: true), .kernelStateRead(1, KernelState(link: link)), .linkRemoved,
            .linkAppeared(link),
            .terminationRequested,
        ]
        for event in events {
            text += Trace.turn(event, toggler.handle(event, at: at), stamp())
            at = at + .seconds(1)
        }
        return text.split(separator: "\n").map(String.init)
    }

    private static let asks =
        #"{"kernelState":{"_0":1,"with":{"logins":false,"powerSave":false,"ownerCondition":false,"rebootState":false,"lossOfInterface":false}}}"#
    private static let lowers = #"{"lowerLink":{"_0":"bounce"}}"#
    private static let title = String(Trace.title(program: "test").dropLast())

    private func differences(_ lines: [String]) throws -> [Replay.Difference] {
        var replay = Replay()
        var findings: [Replay.Finding] = []
        for line in lines { findings += try replay.take(Array(line.utf8)[...]) }
        findings += try replay.end()
        return findings.compactMap { if case .differs(let difference) = $0 { difference } else { nil } }
    }

    @Test("a replay makes the recorded decisions, also with several interfaces and runs in one file")
    func same() throws {
        #expect(try differences([Self.title] + Self.recorded()).isEmpty)
        let both = zip(Self.recorded(), Self.recorded(id: 2)).flatMap { [$0, $1] }
        #expect(throws: TraceMistake.self) { try differences([Self.title] + both) }
        let runs = [Self.title] + Self.recorded() + [Self.title] + Self.recorded() + Self.recorded(id: 2)
        #expect(try differences(runs).isEmpty)
    }

    @Test("a decision that was changed, removed or added is reported with its place")
    func changed() throws {
        let lines = [Self.title] + Self.recorded()
        let position = try #require(lines.firstIndex { $0.contains(Self.asks) })
        for (name, change) in [
            ("changed", { $0[position] = $0[position].replacing(Self.asks, with: Self.lowers) }),
            ("left out", { $0.remove(at: position) }),
            ("added", { $0.insert($0[position], at: position) }),
        ] as [(String, (inout [String]) -> Void)] {
            var other = lines
            change(&other)
            let found = try differences(other)
            #expect(found.count == 1, "\(name)")
            let difference = try #require(found.first)
            #expect(
                difference.number == 1 && difference.line == 3
                    && difference.event == .started(isPresent: true))
            #expect(
                difference.headline
                    == "wlan0: event 1 at 5.000 s, started: other decisions than recorded (- recorded, + now)"
            )
            #expect(
                difference.lines
                    == [
                        "changed": ["- \(Self.lowers)", "+ \(Self.asks)"], "left out": ["+ \(Self.asks)"],
                        "added": ["- \(Self.asks)"],
                    ][name], "\(name)")
        }
    }

    @Test("a decision that was recorded before a member was added is the same if the member is false")
    func older() throws {
        let lines = [Self.title] + Self.recorded()
        func changed(_ old: String, to new: String) -> [String] {
            lines.map { $0.replacing(old, with: new) }
        }
        #expect(try differences(changed(#""logins":false,"#, to: "")).isEmpty)
        #expect(try differences(changed(#""rebootAfter":900000000000,"#, to: "")).isEmpty)
        for (old, new) in [
            (#""logins":false"#, #""logins":true"#), (#""_0":1,"with""#, #""with""#),
            (#""logins":false"#, #""logins":false,"gone":false"#),
        ] {
            #expect(try !differences(changed(old, to: new)).isEmpty, "\(new)")
        }
    }

    @Test("the decision after the last event of a trace is compared too")
    func last() throws {
        let lines = [Self.title] + Self.recorded()
        #expect(try differences(lines.dropLast()).count == 1)
    }

    @Test("a line in the wrong place makes a trace invalid")
    func misplaced() {
        let recorded = Self.recorded()
        let strangers = [
            [], recorded, [Self.title, recorded[1]], [Self.title, recorded[0], #"{"id":1,"does":{}}"#],
            [Self.title, recorded[0], recorded[1], #"{"id":2,"does":{}}"#],
            // Togglers of the first run do not exist in the next run.
            [Self.title, recorded[0], Self.title, recorded[1]], [Self.title, ""],
        ]
        for lines in strangers { #expect(throws: TraceMistake.self) { try differences(lines) } }
    }

    @Test("the largest times that a trace may contain cause no overflow")
    func farthest() throws {
        let end = Instant(nanoseconds: JSONText.farthest)
        var settings = Settings()
        for time: WritableKeyPath<Settings, Duration> in [
            \.interval, \.recheck, \.timeout, \.settle, \.backoff, \.backoffMaximum, \.grace, \.delay,
            \.rebootAfter,
        ] {
            settings[keyPath: time] = .seconds(366 * 86400)
        }
        settings.fall = 1
        let link = Link(
            index: InterfaceIndex(rawValue: 3), name: "wlan0", isUp: true, hasCarrier: true,
            operationalState: .up)
        let kernelState = KernelState(
            link: link, wireless: Wireless(role: .station, phy: 0), administrativeHold: .until(end))
        var free = kernelState
        free.administrativeHold = nil
        for (runMode, appearedAt) in [(RunMode.watch, end), (.watch, nil), (.reconnect, nil), (.toggle, nil)]
        {
            let beginning = Trace.Beginning(
                runMode: runMode, settings: settings, seed: 1, appearedAt: appearedAt)
            for kernelState in [kernelState, free] {
                var lines = [Self.title]
                func stamp(_ at: Instant) -> Trace.Stamp { Trace.Stamp(at: at, id: 1, interface: "wlan0") }
                lines.append(String(Trace.beginning(beginning, stamp(.boot)).dropLast()))
                let events: [Event] = [
                    .started(isPresent: true), .kernelStateRead(1, kernelState), .snapshotTaken(Snapshot()),
                    .guardArmed,
                    .linkLowered, .deadlineReached(.keepDown),
                    .linkRaisingFailed(Failure(kind: .busy, description: "")),
                    .deadlineReached(.retry), .linkRaised, .deadlineReached(.settle),
                    .restored(Restoration()),
                    .kernelStateRead(2, kernelState), .deadlineReached(.nextCheck),
                    .kernelStateRead(3, kernelState),
                ]
                for (position, event) in events.enumerated() {
                    let at = position.isMultiple(of: 5) ? .boot : end
                    lines.append(String(Trace.Line.event(stamp(at), event).text.dropLast()))
                }
                #expect(try !differences(lines).isEmpty)
            }
        }
    }

    @Test("any sequence of events in a trace leads to decisions, without a crash")
    func anything() throws {
        var random = RandomNouns(seed: 4)
        for _ in 0..<60 {
            var lines = [Self.title]
            for id in 0..<2 {
                let stamp = Trace.Stamp(at: random.instant(), id: id, interface: random.text())
                lines.append(String(Trace.beginning(random.beginning(), stamp).dropLast()))
            }
            for round in 0..<60 {
                let event = random.event(Event.Kind.allCases.randomElement(using: &random)!)
                let id = Int(random.number(UInt8.self) & 1)
                var stamp = Trace.Stamp(at: random.instant(), id: id, interface: random.text())
                if round % 2 == 0 { stamp.at = Instant(nanoseconds: Int64(round)) }
                lines.append(String(Trace.Line.event(stamp, event).text.dropLast()))
                // Valid answers let the toggler reach further states.
                let answer = Event.kernelStateRead(round / 4, random.kernelState())
                lines.append(String(Trace.Line.event(stamp, answer).text.dropLast()))
            }
            _ = try differences(lines)
        }
    }
}

nonisolated extension RandomNouns: RandomNumberGenerator {
    mutating func next() -> UInt64 { number() }
}
