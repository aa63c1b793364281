import Foundation
import Model
import Testing
import Toggling

@testable import Reporting

/// A fake service for one test, which records the calls that it receives.
private final class FakeService {
    var asked: [String] = []
    var holdAnswer = ControlService.HoldAnswer.done
    let past = FakeArchive(["wlan0": HistorySamples.every.flatMap { HistoryLine.bytes(of: $0) }])

    var service: ControlService {
        ControlService(
            version: "1.2",
            status: { name in
                self.asked.append("status \(name ?? "all")")
                return name == "nowhere" ? nil : [.object([("interface", "wlan0")])]
            },
            lastEvents: { [.object([("verdict", "healthy")])] },
            metrics: { "a{b=\"c\"} 1\n" },
            history: past.archive,
            watches: { $0 != "nowhere" },
            cycle: { name in
                self.asked.append("cycle \(name ?? "all")")
                return name != "nowhere"
            },
            hold: { name, duration in
                self.asked.append("hold \(name ?? "all") \(duration.text)")
                return self.holdAnswer
            })
    }
}

@Suite("A session on the control socket") struct ControlSessionTests {
    private let fake = FakeService()

    /// The replies to one call, parsed by Foundation's JSON reader.
    private func answers(
        _ call: String, mayAct: Bool = true
    ) throws -> (replies: [NSDictionary], isOver: Bool) {
        var session = ControlSession(mayAct: mayAct)
        let answer = session.take(Array(call.utf8) + [0], fake.service)
        return (try Self.objects(answer.bytes), answer.isOver)
    }

    private static func objects(_ bytes: [UInt8]) throws -> [NSDictionary] {
        #expect(bytes.isEmpty || bytes.last == 0)
        return try bytes.split(separator: 0).map {
            try #require(try JSONSerialization.jsonObject(with: Data($0)) as? NSDictionary)
        }
    }

    private func error(_ call: String, mayAct: Bool = true) throws -> String? {
        let answer = try answers(call, mayAct: mayAct)
        #expect(!answer.isOver && answer.replies.count == 1)
        return answer.replies.first?["error"] as? String
    }

    private static func ours(_ method: String, _ parameters: String = "{}", _ more: String = "")
        -> String
    {
        #"{"method":"wifitoggler.Control.\#(method)","parameters":\#(parameters)\#(more)}"#
    }

    @Test("the service describes itself and its Varlink interfaces")
    func introspection() throws {
        let info = try answers(#"{"method":"org.varlink.service.GetInfo"}"#).replies[0]
        let parameters = try #require(info["parameters"] as? NSDictionary)
        #expect(parameters["version"] as? String == "1.2")
        let interfaces = try #require(parameters["interfaces"] as? [String])
        #expect(interfaces == ["org.varlink.service", "wifitoggler.Control"])
        for name in interfaces {
            let call =
                #"{"method":"org.varlink.service.GetInterfaceDescription","parameters":{"interface":"\#(name)"}}"#
            let reply = try answers(call).replies[0]["parameters"] as? NSDictionary
            let description = try #require(reply?["description"] as? String)
            #expect(description.contains("interface \(name)\n"))
        }
    }

    @Test("each method and error of the program is in the description")
    func described() {
        for method in ControlInterface.Method.allCases {
            #expect(ControlInterface.description.contains("\nmethod \(method.rawValue)("))
        }
        for error in [VarlinkError.notWatched(""), .notWritten(""), .notRead("")] {
            let name = error.name.split(separator: ".").last ?? ""
            #expect(ControlInterface.description.contains("\nerror \(name) ("))
        }
    }

    @Test("no comment is inside a type or method of the description, because older parsers reject that")
    func comments() {
        let lines = ControlInterface.description.split(separator: "\n")
        #expect(lines.contains { $0.hasPrefix("# ") })
        #expect(lines.filter { $0.contains("#") && !$0.hasPrefix("# ") } == [])
        // After a comment comes a declaration, or another comment.
        let followed = zip(lines, lines.dropFirst()).filter { $0.0.hasPrefix("#") }.map(\.1)
        #expect(followed.allSatisfy { $0.first?.isWhitespace == false && $0.first != ")" }, "\(followed)")
    }

    @Test(
        "an invalid call is refused with the error for its mistake",
        arguments: [
            (#"{"method":"x.y.Z"}"#, "org.varlink.service.InterfaceNotFound"),
            (#"{"method":"Status"}"#, "org.varlink.service.MethodNotFound"),
            (#"{"method":""}"#, "org.varlink.service.MethodNotFound"),
            (#"{"method":"org.varlink.service.Get"}"#, "org.varlink.service.MethodNotFound"),
            (ours("Fly"), "org.varlink.service.MethodNotFound"),
            (ours("Status", "{}", #","upgrade":true"#), "org.varlink.service.MethodNotImplemented"),
            (ours("Status", #"{"interface":7}"#), "org.varlink.service.InvalidParameter"),
            (ours("Status", #"{"interfaces":null}"#), "org.varlink.service.InvalidParameter"),
            (ours("Status", #"{"interface":"nowhere"}"#), "wifitoggler.Control.NotWatched"),
            (ours("Cycle", #"{"interface":"nowhere"}"#), "wifitoggler.Control.NotWatched"),
            (ours("Metrics", #"{"interface":null}"#), "org.varlink.service.InvalidParameter"),
            (ours("History", #"{"interface":"nowhere"}"#), "wifitoggler.Control.NotWatched"),
            (ours("History", #"{"interface":"../wlan0"}"#), "wifitoggler.Control.NotWatched"),
            (ours("History", #"{"interface":["wlan0"]}"#), "org.varlink.service.InvalidParameter"),
            (ours("History", #"{"since":"never"}"#), "org.varlink.service.InvalidParameter"),
            (ours("History", #"{"since":7}"#), "org.varlink.service.InvalidParameter"),
            (ours("History", #"{"until":"moment"}"#), "org.varlink.service.InvalidParameter"),
            (ours("Monitor"), "org.varlink.service.ExpectedMore"),
            (ours("Hold"), "org.varlink.service.InvalidParameter"),
            (ours("Hold", #"{"seconds":-1}"#), "org.varlink.service.InvalidParameter"),
            (ours("Hold", #"{"seconds":2592001}"#), "org.varlink.service.InvalidParameter"),
            (ours("Hold", #"{"seconds":1.5}"#), "org.varlink.service.InvalidParameter"),
            (
                #"{"method":"org.varlink.service.GetInterfaceDescription"}"#,
                "org.varlink.service.InvalidParameter"
            ),
        ])
    func refused(call: String, name: String) throws { #expect(try error(call) == name) }

    @Test("root may change things, other users may only read")
    func permission() throws {
        for call in [Self.ours("Cycle"), Self.ours("Hold", #"{"seconds":60}"#)] {
            #expect(try error(call, mayAct: false) == "org.varlink.service.PermissionDenied")
            #expect(fake.asked.isEmpty)
            #expect(try error(call) == nil)
            #expect(fake.asked.count == 1)
            fake.asked = []
        }
        #expect(try error(Self.ours("Status"), mayAct: false) == nil)
        let metrics =
            try answers(Self.ours("Metrics"), mayAct: false).replies[0]["parameters"] as? NSDictionary
        #expect(metrics?["text"] as? String == "a{b=\"c\"} 1\n")
    }

    @Test("a null parameter counts as missing, and a duration is in seconds")
    func parameters() throws {
        _ = try answers(Self.ours("Status", #"{"interface":null}"#))
        _ = try answers(Self.ours("Hold", #"{"seconds":90,"interface":"wlan0"}"#))
        _ = try answers(Self.ours("Hold", #"{"seconds":0}"#))
        #expect(fake.asked == ["status all", "hold wlan0 1m 30s", "hold all 0ms"])
    }

    @Test("a hold that cannot be saved is an error with the reason")
    func notWritten() throws {
        fake.holdAnswer = .notWritten("disk full")
        let reply = try answers(Self.ours("Hold", #"{"seconds":1}"#)).replies[0]
        #expect(reply["error"] as? String == "wifitoggler.Control.NotWritten")
        #expect((reply["parameters"] as? NSDictionary)?["reason"] as? String == "disk full")
    }

    @Test("a oneway call is carried out only if it acts, and has no reply, not even an error")
    func oneway() throws {
        #expect(try answers(Self.ours("Cycle", "{}", #","oneway":true"#)).replies.isEmpty)
        #expect(fake.asked == ["cycle all"])
        #expect(try answers(#"{"method":"x.y.Z","oneway":true}"#).replies.isEmpty)
        var session = ControlSession(mayAct: true)
        let call = Self.ours("Monitor", "{}", #","more":true,"oneway":true"#)
        #expect(session.take(Array(call.utf8) + [0], fake.service).bytes.isEmpty)
        #expect(!session.isMonitoring)
    }

    @Test("calls are answered in their order, however their bytes arrive")
    func pieces() throws {
        let texts = [Self.ours("Status"), #"{"method":"x.y.Z"}"#, Self.ours("Cycle")]
        let calls: [UInt8] = texts.flatMap { Array($0.utf8) + [0] }
        for size in [1, 2, 7, 64, calls.count] {
            var session = ControlSession(mayAct: true)
            var bytes: [UInt8] = []
            for start in stride(from: 0, to: calls.count, by: size) {
                let answer = session.take(calls[start..<min(start + size, calls.count)], fake.service)
                #expect(!answer.isOver)
                bytes += answer.bytes
            }
            let replies = try Self.objects(bytes)
            #expect(replies.map { $0["error"] == nil } == [true, false, true])
        }
    }

    @Test("a monitor gets the last event of each interface at once, with `continues` set")
    func monitor() throws {
        var session = ControlSession(mayAct: false)
        let call = Self.ours("Monitor", "{}", #","more":true"#)
        let answer = session.take(Array(call.utf8) + [0], fake.service)
        #expect(session.isMonitoring && !answer.isOver)
        let later = ControlSession.bytes(of: .object([("verdict", "sick")]))
        let replies = try Self.objects(answer.bytes + later)
        #expect(replies.map { $0["continues"] as? Bool } == [true, true])
        let events = replies.compactMap { ($0["parameters"] as? NSDictionary)?["event"] as? NSDictionary }
        #expect(events.map { $0["verdict"] as? String } == ["healthy", "sick"])
        // Another call on a monitor's connection closes the connection, because it would never be answered.
        let more = session.take(Array(Self.ours("Status").utf8) + [0], fake.service)
        #expect(more.isOver && more.bytes.isEmpty)
    }

    // MARK: History

    /// A session after a call of History, and all replies but the last one, which ends the call.
    private func ask(
        _ parameters: String, _ more: String = "", mayAct: Bool = false
    ) throws -> (session: ControlSession, replies: [NSDictionary]) {
        var session = ControlSession(mayAct: mayAct)
        let call = Self.ours("History", parameters, more)
        let answer = session.take(Array(call.utf8) + [0], fake.service)
        #expect(answer.bytes.isEmpty && !answer.isOver && session.isListening)
        let reading = try #require(answer.reading)
        var bytes: [UInt8] = []
        for _ in 0..<100 {
            guard case .more(let part) = reading.turn() else { break }
            bytes += part
        }
        return (session, try Self.objects(bytes))
    }

    @Test("History sends its records after the call, to any user, for one interface and from a time on")
    func history() throws {
        for (parameters, count) in [
            ("{}", 5), (#"{"interface":"wlan0","since":null}"#, 5), (#"{"interface":"wlan9"}"#, 0),
            (#"{"since":"moment"}"#, 0),
        ] {
            let replies = try ask(parameters, #","more":true"#).replies
            let records = replies.flatMap { reply in
                (reply["parameters"] as? NSDictionary)?["records"] as? [NSDictionary] ?? []
            }
            #expect(records.count == count, "\(parameters): \(replies)")
            #expect(replies.allSatisfy { $0["continues"] as? Bool == true })
        }
        // Without `more` there is only the last reply.
        #expect(try ask("{}").replies.isEmpty)
    }

    @Test("a call before History has ended closes the connection; a call after its end is allowed")
    func historyIsOver() throws {
        let status = Array(Self.ours("Status").utf8) + [0]
        var rude = try ask("{}").session
        #expect(rude.take(status, fake.service).isOver)
        var patient = try ask("{}").session
        patient.endReading()
        #expect(!patient.isListening)
        let answer = patient.take(status, fake.service)
        #expect(!answer.isOver && answer.reading == nil)
        #expect(try Self.objects(answer.bytes).count == 1)
    }

    @Test("a oneway call of History reads nothing and sends nothing")
    func historyOneway() {
        var session = ControlSession(mayAct: true)
        let call = Self.ours("History", "{}", #","more":true,"oneway":true"#)
        let answer = session.take(Array(call.utf8) + [0], fake.service)
        #expect(answer.reading == nil && answer.bytes.isEmpty && !session.isListening)
    }

    @Test("the keys of a record are exactly those of history --json")
    func recordKeys() throws {
        let begin = try #require(ControlInterface.description.range(of: "type Record (\n"))
        let rest = ControlInterface.description[begin.upperBound...]
        let end = try #require(rest.range(of: "\n)\n"))
        let body = rest[..<end.lowerBound]
        let described = body.split(separator: "\n").compactMap {
            $0.split(separator: ":").first.map { $0.trimmingCharacters(in: .whitespaces) }
        }
        let objects = HistoryJSON.objects(HistoryShownTests.timeline, wallTime: HistoryShownTests.wallTime)
        let written = objects.flatMap { json -> [String] in
            if case .object(let members) = json { members.map(\.0) } else { [] }
        }
        #expect(Set(objects.compactMap { $0["kind"]?.string }) == ["outage", "bounce"])
        #expect(Set(described) == Set(written) && described.count == Set(described).count)
    }

    @Test(
        "a malformed call closes the connection without a reply",
        arguments: [
            "", "{", "7", "[]", "{}", #"{"method":7}"#, #"{"method":"a.B","parameters":[]}"#,
            #"{"method":"a.B","more":1}"#, #"{"method":"a.B","oneway":"yes"}"#,
            #"{"method":"a.B","method":"a.B"}"#, #"{"method":"a.B"} x"#, "GET / HTTP/1.1\r\n\r\n",
            String(repeating: "[", count: 100),
        ])
    func nonsense(text: String) throws {
        let answer = try answers(text)
        #expect(answer.isOver && answer.replies.isEmpty)
    }

    @Test("a message over the limit closes the connection, with or without its end")
    func tooLong() {
        let pad = String(repeating: " ", count: Varlink.longestCall)
        for end in [[], [UInt8(0)]] {
            var session = ControlSession(mayAct: true)
            #expect(session.take(Array((Self.ours("Status") + pad).utf8) + end, fake.service).isOver)
        }
        let fitting = Self.ours("Status") + pad.dropLast(Self.ours("Status").utf8.count)
        var session = ControlSession(mayAct: true)
        #expect(!session.take(Array(fitting.utf8) + [0], fake.service).isOver)
    }

    @Test("many calls sent at once are answered a few per turn, and all in the end")
    func pipelined() throws {
        let calls = (0..<50).map { _ in Array(Self.ours("Status").utf8) + [0] }.joined()
        var session = ControlSession(mayAct: false)
        var (answer, replies, turns) = (session.take(Array(calls), fake.service), 0, 1)
        while true {
            let count = try Self.objects(answer.bytes).count
            #expect(count <= ControlSession.mostCalls && !answer.isOver)
            replies += count
            guard answer.hasMore else { break }
            answer = session.take([], fake.service)
            turns += 1
        }
        #expect(replies == 50 && turns == (50 + ControlSession.mostCalls - 1) / ControlSession.mostCalls)
    }

    @Test("a oneway call of a method that only reads is not carried out")
    func onewayReads() throws {
        for method in ["Status", "Metrics", "History", "Monitor"] {
            let call = Self.ours(method, "{}", #","oneway":true,"more":true"#)
            #expect(try answers(call, mayAct: false).replies.isEmpty)
        }
        #expect(fake.asked.isEmpty, "\(fake.asked)")
    }
}
