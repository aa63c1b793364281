import Foundation
import Testing
import Toggling

@testable import Service

@Suite("What a person has the service do") struct ErrandTests {
    private static let verdict = Verdict(.healthy, reason: .nothingWrongInKernel)

    private static func cycle(
        _ action: CycleReport.Action, next why: NextLook.Why = .schedule, outcome: Outcome = .healthy
    ) -> CycleReport {
        let change = HealthChange(before: .healthy, after: .healthy, row: 0)
        return CycleReport(
            verdict: verdict, action: action, change: change,
            next: NextLook(at: Instant(nanoseconds: 0), why: why), outcome: outcome)
    }

    private static let bounced = CycleReport.Action.bounced(
        BounceSummary(down: .zero, recovery: nil, restoration: Restoration()))

    private static func errand(_ wish: ControlErrand.Wish, steps: Bool = true) -> ControlErrand {
        ControlErrand(wish: wish, interface: "wlan0", wantsSteps: steps)
    }

    @Test("a reconnect waits for the last verdict of a row; a toggle ends with the first cycle")
    func done() {
        let (toggle, reconnect) = (Self.errand(.toggle(delay: nil)), Self.errand(.reconnect))
        for why in NextLook.Why.allCases {
            let cycle = Self.cycle(.none, next: why)
            #expect(toggle.isDone(by: cycle))
            #expect(reconnect.isDone(by: cycle) == (why != .recheck))
        }
        #expect(Self.cycle(.none).last.next == nil)
    }

    @Test("a bounce that was asked for and did not take place is no success, however the link is")
    func outcomes() {
        let toggle = Self.errand(.toggle(delay: .zero))
        #expect(toggle.outcome(of: Self.cycle(.none)) == .unknown)
        #expect(toggle.outcome(of: Self.cycle(.skipped(.dryRun))) == .unknown)
        #expect(toggle.outcome(of: Self.cycle(.held(.inhibited(.untilReleased)))) == .unknown)
        #expect(toggle.outcome(of: Self.cycle(Self.bounced)) == .healthy)
        #expect(toggle.outcome(of: Self.cycle(Self.bounced, outcome: .sick)) == .sick)
        let reconnect = Self.errand(.reconnect)
        #expect(reconnect.outcome(of: Self.cycle(.none)) == .healthy)
        #expect(reconnect.outcome(of: Self.cycle(.held(.inhibited(.untilReleased)), outcome: .sick)) == .sick)
    }

    // MARK: The conversation

    private static func service(_ watched: @escaping (String) -> Bool = { $0 == "wlan0" }) -> ControlService {
        ControlService(
            version: "0", status: { _ in nil }, lastEvents: { [] }, metrics: { "" },
            history: FakeArchive().archive, watches: watched, cycle: { _ in false },
            hold: { _, _ in .notWatched })
    }

    /// The whole messages of a text of octets.
    private static func messages(_ octets: [UInt8]) throws -> [ArraySlice<UInt8>] {
        var buffer = MessageBuffer(longest: Varlink.longestReply)
        let messages = buffer.take(octets)
        return try #require(messages)
    }

    private static func replies(_ octets: [UInt8]) throws -> [ErrandCall.Reply] {
        try messages(octets).map { try ErrandCall.reply($0) }
    }

    @Test("a call is taken on at once, told of each step, and answered once; then another may come")
    func conversation() throws {
        var session = ControlSession(mayAct: true)
        let taken = session.take(ErrandCall.toggle("wlan0", delay: .milliseconds(1500)), Self.service())
        guard case .toggle(delay: .milliseconds(1500))? = taken.errand?.wish else {
            Issue.record("\(String(describing: taken.errand))")
            return
        }
        #expect(taken.errand?.interface == "wlan0" && session.isListening && !taken.isOver)
        guard case .steps(let none, nil)? = try Self.replies(taken.octets).first else {
            Issue.record("not taken on")
            return
        }
        #expect(none.isEmpty)
        let line = Line(.notice, "wlan0: link down")
        guard case .steps([line], nil)? = try Self.replies(session.octets(ofStep: [line])).first else {
            Issue.record("no step")
            return
        }
        let octets = session.end([line], status: 1, event: .object([("verdict", "sick")]))
        guard case .end([line], status: 1, let event?)? = try Self.replies(octets).first else {
            Issue.record("no end")
            return
        }
        #expect(event["verdict"]?.string == "sick")
        #expect(session.end([line], status: 0, event: nil).isEmpty, "answered twice")
        #expect(session.octets(ofStep: [line]).isEmpty)
        #expect(session.take(ErrandCall.reconnect("wlan0"), Self.service()).errand?.word == "reconnect")
    }

    @Test("without more there is one reply, without a wish for one there is none; both are begun")
    func quiet() throws {
        let name = ControlInterface.name + ".Reconnect"
        var session = ControlSession(mayAct: true)
        let call = Varlink.call(name, [("interface", "wlan0")])
        let taken = session.take(call, Self.service())
        #expect(taken.errand != nil && taken.octets.isEmpty && session.octets(ofStep: []).isEmpty)
        #expect(try Self.messages(session.end([], status: 0, event: nil)).count == 1)

        let oneway = #"{"method":"\#(name)","parameters":{"interface":"wlan0"},"oneway":true}"#
        let sent = session.take(Array(oneway.utf8) + [0], Self.service())
        #expect(sent.errand != nil && sent.octets.isEmpty && !session.isListening)
        #expect(session.end([], status: 0, event: nil).isEmpty)
    }

    @Test("who waits and goes on talking is sent away")
    func impatient() {
        var session = ControlSession(mayAct: true)
        let calls = ErrandCall.reconnect("wlan0") + ErrandCall.reconnect("wlan0")
        let answer = session.take(calls, Self.service())
        #expect(answer.isOver && answer.errand != nil)
    }

    @Test(
        "what is not right is refused by its name, and nothing is begun",
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
        #expect(answer.errand == nil && !session.isListening && !answer.isOver)
        let message = try #require(try Self.messages(answer.octets).first)
        #expect(throws: StatusCall.Problem.refused(name)) { try ErrandCall.reply(message) }
    }

    @Test(
        "an answer that is none is nonsense",
        arguments: [
            "", "7", #"{"parameters":{}}"#, #"{"parameters":{"lines":7}}"#, #"{"parameters":{"lines":[]}}"#,
            #"{"parameters":{"lines":[],"status":256,"event":null}}"#,
            #"{"parameters":{"lines":[],"status":-1,"event":null}}"#,
            #"{"parameters":{"lines":[],"status":"0","event":null}}"#,
            #"{"parameters":{"lines":[{"weight":2,"text":"x"}],"status":0}}"#,
            #"{"parameters":{"lines":[{"weight":5}]},"continues":true}"#,
        ])
    func nonsense(text: String) {
        #expect(throws: StatusCall.Problem.nonsense) { try ErrandCall.reply(Array(text.utf8)[...]) }
    }
}
