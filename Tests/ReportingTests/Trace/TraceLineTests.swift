import Model
import Testing
import Toggling

@testable import Reporting

@Suite("Lines of a trace") struct TraceLineTests {
    private static func line(_ text: String) throws -> Trace.Line {
        let bytes = Array(text.utf8)
        #expect(
            bytes.last == UInt8(ascii: "\n") && !bytes.dropLast().contains(UInt8(ascii: "\n")), "one line")
        return try Trace.Line(bytes.dropLast())
    }

    @Test("every event is read back as it was written", arguments: Event.Kind.allCases)
    func events(kind: Event.Kind) throws {
        var random = RandomNouns(seed: 1)
        for _ in 0..<300 {
            let event = random.event(kind)
            let written = Trace.Line.event(random.stamp(), event)
            let text = written.text
            #expect(try Self.line(text) == written, "\(text)")
            #expect(Trace.name(of: event) == kind.rawValue)
        }
    }

    @Test("the beginning of a toggler is read back, with any settings")
    func beginnings() throws {
        var random = RandomNouns(seed: 2)
        for _ in 0..<300 {
            let written = Trace.Line.begins(random.stamp(), random.beginning())
            #expect(try Self.line(written.text) == written)
        }
    }

    @Test("a setting that an older trace lacks has its default, and an empty list of layers stays empty")
    func olderSettings() throws {
        guard
            case .begins(_, let beginning) = try Self.line(
                Self.settings + #"{"fall":7,"bouncedLayers":[]}}}"# + "\n")
        else {
            Issue.record("no beginning")
            return
        }
        var settings = Settings()
        settings.fall = 7
        settings.bouncedLayers = []
        #expect(beginning.settings == settings)
    }

    private static let event = #"{"at":1,"id":1,"interface":"w","event":"#
    private static let settings =
        #"{"at":1,"id":1,"interface":"w","begins":{"runMode":"watch","seed":"1","place":0,"#
        + #""knownTargets":{"entries":[]},"limiter":{"bounces":[],"bouncesInOutage":0,"useless":0,"restarts":[],"inVain":[]},"settings":"#

    @Test(
        "a line that is not one of a trace is refused with the reason",
        arguments: [
            ("", .notJSON("a value is missing", position: 0)),
            ("{", .notJSON("'\"' is missing", position: 1)),
            ("[]", .unfit("")), ("{}", .missing("at")), ("7", .unfit("")),
            (#"{"wifi-toggler-trace":1,"program":"x"}"#, .otherVersion(1)),
            (#"{"wifi-toggler-trace":3,"moon":"x"}"#, .otherVersion(3)),
            (#"{"wifi-toggler-trace":2}"#, .missing("program")),
            (#"{"id":1,"does":{},"more":1}"#, .unexpected("more")),
            (#"{"id":1,"id":1,"does":{}}"#, .notJSON("a key stands there twice", position: 12)),
            (#"{"id":1,"does":{}} "x""#, .notJSON("text after the end", position: 19)),
            (#"{"id":1.5,"does":{}}"#, .unfit("id")),
            (#"{"id":01,"does":{}}"#, .notJSON("a number that a trace cannot have", position: 8)),
            (
                #"{"id":99999999999999999999,"does":{}}"#,
                .notJSON("a number that a trace cannot have", position: 26)
            ),
            (event + #""explode"}"#, .unfit("event")), (event + #"{"explode":{}}}"#, .unfit("event")),
            (event + #"{"kernelStateRead":{}}}"#, .missing("event.kernelStateRead._0")),
            (event + #"{"linkLowered":1}}"#, .unfit("event.linkLowered")),
            (event + #"{"linkLowered":{"_0":1}}}"#, .unexpected("event.linkLowered._0")),
            (event + #"{"linkLowered":{},"linkRaised":{}}}"#, .unfit("event")),
            (event + #"{"deadlineReached":{"_0":"never"}}}"#, .unfit("event.deadlineReached._0")),
            (
                event + #"{"bounceRequested":{"delay":-1}}}"#,
                .outOfRange("event.bounceRequested.delay")
            ),
            (#"{"at":1,"id":1,"interface":"w"}"#, .missing("event")),
            (#"{"at":-1,"id":1,"interface":"w","event":{"linkLowered":{}}}"#, .outOfRange("at")),
            (
                #"{"at":9223372036854775807,"id":1,"interface":"w","event":{"linkLowered":{}}}"#,
                .outOfRange("at")
            ),
            (settings + #"{"interval":0}}}"#, .outOfRange("begins.settings.interval")),
            (settings + #"{"fall":0}}}"#, .outOfRange("begins.settings.fall")),
            (settings + #"{"probes":[]}}}"#, .outOfRange("begins.settings.probes")),
            (
                settings + #"{"methods":["rebind","bounce"]}}}"#, .outOfRange("begins.settings.methods")
            ),
            (
                settings + #"{"quietHours":[{"days":[],"start":0,"end":1}]}}}"#,
                .outOfRange("begins.settings.quietHours")
            ),
            (settings + #"{"moon":1}}}"#, .unexpected("begins.settings.moon")),
        ] as [(String, TraceMistake)])
    func refused(text: String, mistake: TraceMistake) {
        #expect(throws: mistake) { try Trace.Line(Array(text.utf8)[...]) }
    }

    @Test("endless nesting is refused, and the stack does not grow")
    func nested() {
        let deep = Array(String(repeating: "[", count: 100_000).utf8)
        #expect(throws: TraceMistake.notJSON("nested too deep", position: JSONReader.deepest)) {
            try Trace.Line(deep[...])
        }
    }

    @Test(
        "a list of 100,000 items is read and written in time proportional to its length",
        .timeLimit(.minutes(10)))
    func longList() throws {
        let scan = Scan(frequencies: Array(repeating: 2412, count: 100_000), names: [])
        let stamp = Trace.Stamp(at: .boot, id: 1, interface: "w")
        let written = Trace.Line.event(stamp, .scanBegun(scan))
        #expect(try Self.line(written.text) == written)
    }

    @Test("a line that is too long is refused before it is read")
    func tooLong() {
        let long = [UInt8](repeating: UInt8(ascii: " "), count: Trace.longestLine + 1)
        #expect(throws: TraceMistake.tooLong(bytes: long.count)) {
            try Trace.Line(long[...])
        }
    }

    @Test("a damaged line is read or refused with a one-line message, without a crash")
    func damaged() throws {
        var random = RandomNouns(seed: 3)
        var taken = 0
        for round in 0..<20_000 {
            let kind = Event.Kind.allCases[round % Event.Kind.allCases.count]
            let line =
                round % 5 == 0
                ? Trace.Line.begins(random.stamp(), random.beginning())
                : .event(random.stamp(), random.event(kind))
            let bytes = random.damaged(Array(line.text.utf8.dropLast()))
            do throws(TraceMistake) {
                let read = try Trace.Line(bytes[...])
                taken += 1
                // A line that was accepted is the same after it is written and read again.
                let again = try Trace.Line(Array(read.text.utf8.dropLast())[...])
                #expect(again == read)
            } catch {
                let scalars = error.description.unicodeScalars
                #expect(!scalars.isEmpty && scalars.allSatisfy { $0.value >= 0x20 && $0.value < 0x7f })
            }
        }
        #expect(taken > 100 && taken < 19_000, "\(taken)")
    }

    @Test("valid escapes are read, and invalid ones are refused")
    func escapes() throws {
        let text =
            #"{"at":1,"id":1,"interface":"\" \\ \/ \n \t \r \u00e9 \u0001","event":{"linkLowered":{}}}"#
            + "\n"
        let stamp = Trace.Stamp(
            at: Instant(nanoseconds: 1), id: 1, interface: "\" \\ / \n \t \r \u{e9} \u{1}")
        #expect(try Self.line(text) == .event(stamp, .linkLowered))
        for bad in [#"\x"#, #"\u12"#, #"\ud800"#, #"\u00g0"#, "\u{1}", "\\"] {
            #expect(throws: TraceMistake.self) {
                try Trace.Line(Array((#"{"id":1,"does":""# + bad + #""}"#).utf8)[...])
            }
        }
        #expect(throws: TraceMistake.notJSON("text that is not UTF-8", position: 20)) {
            try Trace.Line((Array(#"{"id":1,"does":"a"#.utf8) + [0xff, 0xfe] + Array(#""}"#.utf8))[...])
        }
    }
}
