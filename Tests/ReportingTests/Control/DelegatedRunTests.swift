import Foundation
import Model
import Testing

@testable import Reporting
@testable import Toggling

@Suite("toggle and reconnect that the service carries out") struct DelegatedRunTests {
    private static let verdict = Verdict(.healthy, reason: .nothingWrongInKernel)

    private static func cycle(
        _ action: CycleReport.Action, next why: NextCheck.Why = .schedule, outcome: RunOutcome = .healthy
    ) -> CycleReport {
        let change = HealthChange(before: .healthy, after: .healthy, streak: 0)
        return CycleReport(
            verdict: verdict, action: action, change: change,
            next: NextCheck(at: Instant(nanoseconds: 0), why: why), outcome: outcome)
    }

    private static let bounced = CycleReport.Action.bounced(
        BounceSummary(down: .zero, recovery: nil, restoration: Restoration()))

    private static func request(_ kind: ControlRequest.Kind, steps: Bool = true) -> ControlRequest {
        ControlRequest(kind: kind, interface: "wlan0", wantsSteps: steps)
    }

    @Test("a reconnect is done after its last recheck, a toggle after the first cycle")
    func done() {
        let (toggle, reconnect) = (Self.request(.toggle(delay: nil)), Self.request(.reconnect))
        for why in NextCheck.Why.allCases {
            let cycle = Self.cycle(.none, next: why)
            #expect(toggle.isDone(by: cycle))
            #expect(reconnect.isDone(by: cycle) == (why != .recheck))
        }
        let record = Record(.cycle(Self.cycle(.none)), about: "wlan0", at: .boot)
        #expect(record.cycle?.next != nil && record.last.cycle?.next == nil)
    }

    @Test("a requested bounce that did not take place is no success, even if the link is healthy")
    func outcomes() {
        let toggle = Self.request(.toggle(delay: .zero))
        #expect(toggle.outcome(of: Self.cycle(.none)) == .unknown)
        #expect(toggle.outcome(of: Self.cycle(.skipped(.dryRun([.bounce])))) == .unknown)
        #expect(toggle.outcome(of: Self.cycle(.held(.onHold(.untilReleased)))) == .unknown)
        #expect(toggle.outcome(of: Self.cycle(Self.bounced)) == .healthy)
        #expect(toggle.outcome(of: Self.cycle(Self.bounced, outcome: .sick)) == .sick)
        let reconnect = Self.request(.reconnect)
        #expect(reconnect.outcome(of: Self.cycle(.none)) == .healthy)
        #expect(reconnect.outcome(of: Self.cycle(.held(.onHold(.untilReleased)), outcome: .sick)) == .sick)
    }

    // MARK: The session

    private static func service(_ watched: @escaping (String) -> Bool = { $0 == "wlan0" }) -> ControlService {
        ControlService(
            version: "0", status: { _ in nil }, lastEvents: { [] }, metrics: { "" },
            history: FakeArchive().archive, watches: watched, cycle: { _ in false },
            hold: { _, _ in .notWatched })
    }

    /// The complete messages in these bytes.
    private static func messages(_ bytes: [UInt8]) throws -> [ArraySlice<UInt8>] {
        var buffer = MessageBuffer(longest: Varlink.longestReply)
        let messages = buffer.take(bytes)
        return try #require(messages)
    }

    private static func replies(_ bytes: [UInt8]) throws -> [ControlCall.Reply] {
        try messages(bytes).map { try ControlCall.reply($0) }
    }

    @Test("a call is accepted at once, gets each step and one final reply; then another call may follow")
    func conversation() throws {
        var session = ControlSession(mayAct: true)
        let taken = session.take(
            ControlCall.toggle("wlan0", delay: .milliseconds(1500)), Self.service())
        guard case .toggle(delay: .milliseconds(1500))? = taken.requests.first?.kind else {
            Issue.record("\(taken.requests)")
            return
        }
        #expect(taken.requests.first?.interface == "wlan0" && session.isListening && !taken.isOver)
        guard case .steps(let none, nil)? = try Self.replies(taken.bytes).first else {
            Issue.record("not taken on")
            return
        }
        #expect(none.isEmpty)
        let line = Line(.notice, "wlan0: link down")
        guard case .steps([line], nil)? = try Self.replies(session.bytes(ofStep: [line])).first else {
            Issue.record("no step")
            return
        }
        let bytes = session.end([line], status: 1, event: .object([("verdict", "sick")]))
        guard case .end([line], status: 1, let event?)? = try Self.replies(bytes).first else {
            Issue.record("no end")
            return
        }
        #expect(event["verdict"]?.string == "sick")
        #expect(session.end([line], status: 0, event: nil).isEmpty, "answered twice")
        #expect(session.bytes(ofStep: [line]).isEmpty)
        #expect(
            session.take(ControlCall.reconnect("wlan0"), Self.service()).requests.first?.word == "reconnect")
    }

    @Test("a call without `more` has one reply, a oneway call none, and both are begun")
    func quiet() throws {
        let name = ControlInterface.name + ".Reconnect"
        var session = ControlSession(mayAct: true)
        let call = Varlink.call(name, [("interface", "wlan0")])
        let taken = session.take(call, Self.service())
        #expect(taken.requests.count == 1 && taken.bytes.isEmpty && session.bytes(ofStep: []).isEmpty)
        #expect(try Self.messages(session.end([], status: 0, event: nil)).count == 1)

        let oneway = #"{"method":"\#(name)","parameters":{"interface":"wlan0"},"oneway":true}"#
        let sent = session.take(Array(oneway.utf8) + [0], Self.service())
        #expect(sent.requests.count == 1 && sent.bytes.isEmpty && !session.isListening)
        #expect(session.end([], status: 0, event: nil).isEmpty)
    }

    @Test(
        "all oneway calls are begun in their order, and so is a call with a reply behind them")
    func pipelined() throws {
        let calls = ["wlan0", "wlan1", "wlan0"].map {
            #"{"method":"wifitoggler.Control.Toggle","parameters":{"interface":"\#($0)"},"oneway":true}"#
        }
        var session = ControlSession(mayAct: true)
        let bytes = calls.flatMap { Array($0.utf8) + [0] } + ControlCall.reconnect("wlan1")
        let taken = session.take(bytes, Self.service { _ in true })
        #expect(taken.requests.map(\.interface) == ["wlan0", "wlan1", "wlan0", "wlan1"])
        #expect(taken.requests.map(\.word) == ["toggle", "toggle", "toggle", "reconnect"])
        #expect(taken.requests.map(\.wantsReply) == [false, false, false, true])
        #expect(!taken.isOver && session.request?.word == "reconnect")
        #expect(try Self.messages(session.end([], status: 0, event: nil)).count == 1)
    }

    @Test("a client that sends another call while it waits is disconnected")
    func impatient() {
        var session = ControlSession(mayAct: true)
        let calls = ControlCall.reconnect("wlan0") + ControlCall.reconnect("wlan0")
        let answer = session.take(calls, Self.service())
        #expect(answer.isOver && answer.requests.count == 1)
    }

    @Test(
        "an invalid call is refused with the error for its mistake, and nothing is begun",
        arguments: [
            (#"Toggle","parameters":{}"#, true, "org.varlink.service.InvalidParameter"),
            (#"Reconnect","parameters":{"interface":null}"#, true, "org.varlink.service.InvalidParameter"),
            (
                #"Toggle","parameters":{"interface":"wlan0","delay_ms":-1}"#, true,
                "org.varlink.service.InvalidParameter"
            ),
            (
                #"Toggle","parameters":{"interface":"wlan0","delay_ms":60001}"#, true,
                "org.varlink.service.InvalidParameter"
            ),
            (
                #"Toggle","parameters":{"interface":"wlan0","delay_ms":"3s"}"#, true,
                "org.varlink.service.InvalidParameter"
            ),
            (
                #"Reconnect","parameters":{"interface":"wlan0","delay_ms":3}"#, true,
                "org.varlink.service.InvalidParameter"
            ),
            (#"Toggle","parameters":{"interface":"wlan1"}"#, true, "wifitoggler.Control.NotWatched"),
            (#"Toggle","parameters":{"interface":"wlan0"}"#, false, "org.varlink.service.PermissionDenied"),
            (
                #"Reconnect","parameters":{"interface":"wlan0"}"#, false,
                "org.varlink.service.PermissionDenied"
            ),
        ])
    func refused(call: String, mayAct: Bool, name: String) throws {
        var session = ControlSession(mayAct: mayAct)
        let text = #"{"method":"wifitoggler.Control.\#(call),"more":true}"#
        let answer = session.take(Array(text.utf8) + [0], Self.service())
        #expect(answer.requests.isEmpty && !session.isListening && !answer.isOver)
        let message = try #require(try Self.messages(answer.bytes).first)
        #expect(throws: ControlCall.Problem.refused(name)) { try ControlCall.reply(message) }
    }

    @Test(
        "a malformed reply is reported as such",
        arguments: [
            "", "7", #"{"parameters":{}}"#, #"{"parameters":{"lines":7}}"#, #"{"parameters":{"lines":[]}}"#,
            #"{"parameters":{"lines":[],"status":256,"event":null}}"#,
            #"{"parameters":{"lines":[],"status":-1,"event":null}}"#,
            #"{"parameters":{"lines":[],"status":"0","event":null}}"#,
            #"{"parameters":{"lines":[{"level":2,"text":"x"}],"status":0}}"#,
            #"{"parameters":{"lines":[{"level":5}]},"continues":true}"#,
        ])
    func nonsense(text: String) {
        #expect(throws: ControlCall.Problem.nonsense) { try ControlCall.reply(Array(text.utf8)[...]) }
    }
}
