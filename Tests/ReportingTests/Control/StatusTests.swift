import Model
import Testing

@testable import Reporting
@testable import Toggling

@Suite("The status of an interface") struct StatusTests {
    private static let start = Instant(nanoseconds: 1_000_000_000_000)
    private static let gateway = IPAddress("192.0.2.1")!
    private static let healthy = Verdict(
        .healthy, reason: .gatewayConfirmed(gateway, ago: .milliseconds(5)),
        evidence: [
            .association(
                Association(
                    bssid: MACAddress([2, 0, 0, 0, 0, 1])!, ssid: SSID("lab".utf8),
                    station: StationInformation(signal: -48)))
        ])
    private static let sick = Verdict(.sick, layer: .gateway, reason: .gatewaySilent([gateway]))

    private static func cycle(
        _ verdict: Verdict, _ action: CycleReport.Action = .none, _ before: Health.Condition,
        _ after: Health.Condition, next: NextCheck? = nil
    ) -> Report {
        .cycle(
            CycleReport(
                verdict: verdict, action: action,
                change: HealthChange(before: before, after: after, streak: 1), next: next))
    }

    private static func at(_ seconds: Int) -> Instant { start + .seconds(seconds) }

    /// The status as JSON, this many seconds after the start. The wall time of an event is written as `T-`
    /// and its age in seconds.
    private static func json(
        _ interfaceStatus: InterfaceStatus, at seconds: Int, state: TogglerState = .idle,
        _ noBounceReasons: [NoBounceReason] = []
    ) -> JSONText {
        StatusJSON(interfaceStatus, present(seconds, state, noBounceReasons)).json
    }

    /// The instant this many seconds after the start, by the clocks of the history.
    private static func instant(_ seconds: Int) -> Timestamp {
        Timestamp(
            wall: HistorySamples.wall + Int64(seconds) * 1000, boot: HistorySamples.boot,
            sinceBoot: at(seconds).nanoseconds / 1_000_000)
    }

    static func present(
        _ seconds: Int, _ state: TogglerState = .idle, _ noBounceReasons: [NoBounceReason] = []
    ) -> StatusJSON.Present {
        StatusJSON.Present(
            interface: "wlan0", now: at(seconds), state: state, settings: Settings(),
            noBounceReasons: noBounceReasons,
            ownership: nil, instant: instant(seconds),
            wallTime: { "T\(($0 - at(seconds)).nanoseconds / 1_000_000_000)" })
    }

    private static func bounced(_ verdict: Verdict) -> CycleReport.Action {
        .bounced(
            BounceSummary(
                down: .milliseconds(3100), recovery: verdict.conclusion == .healthy ? .seconds(2) : nil,
                restoration: Restoration(), methods: [.bounce]))
    }

    @Test("before the first check the status says that nothing is known")
    func nothing() {
        let text = StatusText(Self.json(InterfaceStatus(at: Self.start), at: 3, state: .absent(Absence())))
        #expect(text.health == .unknown)
        #expect(
            text.lines == [
                "wlan0: undetermined (neither healthy nor sick now) for 3s, since T-3",
                "  nothing done since the service began",
                "  now: waiting for the interface to appear", "  no check has ended yet",
            ])
    }

    @Test("`since` is the time of the last change of the condition, not of the last check")
    func since() {
        var interfaceStatus = InterfaceStatus(at: Self.start)
        interfaceStatus.take(Self.cycle(Self.healthy, .none, .undetermined, .healthy), at: Self.at(1))
        interfaceStatus.take(Self.cycle(Self.healthy, .none, .healthy, .healthy), at: Self.at(61))
        let json = Self.json(interfaceStatus, at: 70)
        #expect(json["since"]?.string == "T-69" && json["since_ms"]?.duration == .seconds(69))
        #expect(json["checked"]?.string == "T-9" && json["checked_ms"]?.duration == .seconds(9))
        #expect(json["signal_dbm"]?.whole == -48)
        #expect(StatusText(json).health == .healthy)
        #expect(StatusText(json).lines[0] == "wlan0: healthy for 1m 9s, since T-69")
    }

    @Test("a single sick check is no outage; while the condition is undetermined, the last check counts")
    func health() {
        var interfaceStatus = InterfaceStatus(at: Self.start)
        interfaceStatus.take(Self.cycle(Self.healthy, .none, .undetermined, .healthy), at: Self.at(1))
        interfaceStatus.take(Self.cycle(Self.sick, .none, .healthy, .healthy), at: Self.at(2))
        #expect(StatusText(Self.json(interfaceStatus, at: 3)).health == .healthy)
        interfaceStatus.take(Self.cycle(Self.sick, .none, .healthy, .sick), at: Self.at(3))
        #expect(StatusText(Self.json(interfaceStatus, at: 3)).health == .sick)
        let refused = CycleReport.Action.refused(.radioBlocked(.soft))
        let blocked = Verdict(.sick, layer: .radio, reason: .radioBlocked(.soft))
        interfaceStatus.take(Self.cycle(blocked, refused, .sick, .undetermined), at: Self.at(4))
        let text = StatusText(Self.json(interfaceStatus, at: 5))
        #expect(text.health == .sick)
        #expect(
            text.lines.contains(
                "  no bounce now: the radio is blocked by rfkill (run 'sudo rfkill unblock wlan')"))
    }

    @Test("during a bounce the interface is sick, and the present step is shown with its cause")
    func underWay() {
        var interfaceStatus = InterfaceStatus(at: Self.start)
        interfaceStatus.take(Self.cycle(Self.healthy, .none, .undetermined, .healthy), at: Self.at(1))
        interfaceStatus.take(.step(.beginning(.bounce, Self.sick)), at: Self.at(5))
        let text = StatusText(Self.json(interfaceStatus, at: 7, state: .absent(Absence())))
        #expect(text.health == .sick)
        #expect(text.headline == "wlan0: sick for 2s, since T-2")
        #expect(
            text.prospect.last
                == "  now: waiting for the interface to appear (sick at layer gateway: the gateway 192.0.2.1 does"
                + " not answer)")
        interfaceStatus.take(
            Self.cycle(Self.healthy, Self.bounced(Self.healthy), .sick, .healthy), at: Self.at(9))
        #expect(Self.json(interfaceStatus, at: 9)["under_way"]?.string == nil)
    }

    @Test("the last action keeps its cause, its numbers and its result")
    func lastAction() {
        var interfaceStatus = InterfaceStatus(at: Self.start)
        interfaceStatus.take(.step(.beginning(.bounce, Self.sick)), at: Self.at(1))
        interfaceStatus.take(
            Self.cycle(Self.healthy, Self.bounced(Self.healthy), .sick, .healthy), at: Self.at(6))
        interfaceStatus.take(Self.cycle(Self.healthy, .none, .healthy, .healthy), at: Self.at(66))
        let json = Self.json(interfaceStatus, at: 66)
        #expect(json["actions"]?.whole == 1)
        #expect(json["last_action"]?["ago_ms"]?.duration == .seconds(60))
        #expect(json["last_action"]?["down_ms"]?.duration == .milliseconds(3100))
        #expect(
            StatusText(json).lines[1]
                == "  last action 1m ago, 1 since the service began: bounced"
                + " (sick at layer gateway: the gateway 192.0.2.1 does not answer); down for 3.1s; back after 2s;"
                + " then healthy: the gateway 192.0.2.1 was confirmed reachable 5ms ago")
    }

    @Test(
        "a failed action has its reason, and a bounce without a verdict is shown as requested")
    func failed() {
        var interfaceStatus = InterfaceStatus(at: Self.start)
        interfaceStatus.take(.step(.beginning(.bounce, nil)), at: Self.at(1))
        let failure = Failure(kind: .other, code: 5, description: "Input/output error")
        interfaceStatus.take(Self.cycle(Self.sick, .failed(.lowering, failure), .sick, .sick), at: Self.at(2))
        let action = Self.json(interfaceStatus, at: 2)["last_action"]
        #expect(action?["cause"]?.string == "requested by toggle or --force")
        #expect(action?["reason"]?.string == "could not lower the link: Input/output error")
    }

    @Test("an action from before the service's start is shown until the service acts itself")
    func pastAction() throws {
        var interfaceStatus = InterfaceStatus(at: Self.start)
        // The action took place in this boot, 900 s after its start, while the wall clock was wrong.
        let done = Timestamp(wall: 0, boot: HistorySamples.boot, sinceBoot: 900_000)
        interfaceStatus.recall(
            PastEvents(action: PastAction(action: HistorySamples.action, moment: PastMoment(at: done))))
        let json = Self.json(interfaceStatus, at: 60)
        let action = try #require(json["last_action"])
        guard case .object(let members) = action else {
            Issue.record("no object")
            return
        }
        #expect(members.map(\.0) == Self.fields(of: "Action"))
        #expect(action["time"]?.string == "T-160" && action["ago_ms"]?.duration == .seconds(160))
        #expect(
            action["cause"]?.string == "sick at layer gateway: the gateway 192.0.2.1 does not answer")
        #expect(action["refused"]?.elements.first?["item"]?.string == "192.0.2.8/29 dev wlan0")
        #expect(action["refused"]?.elements.first?["error"]?.string == "Invalid argument")
        #expect(action["lost"]?.elements.count == 2 && action["restored"]?.elements.count == 1)
        #expect(json["actions"]?.whole == 0)
        let line = StatusText(json).lines[1]
        #expect(
            line.hasPrefix(
                "  last action 2m 40s ago, before the service began: bounced (sick at layer gateway: the gateway"
            ), "\(line)")
        #expect(line.contains("; down for 3s; back after 1.2s; then healthy: "), "\(line)")
        interfaceStatus.take(Self.cycle(Self.sick, Self.bounced(Self.sick), .sick, .sick), at: Self.at(61))
        #expect(Self.json(interfaceStatus, at: 62)["last_action"]?["ago_ms"]?.duration == .seconds(1))
    }

    @Test("the time until the next bounce is counted from now, and holds are queried each time")
    func held() {
        var interfaceStatus = InterfaceStatus(at: Self.start)
        let backingOff = CycleReport.Action.held(.backingOff(until: Self.at(60)))
        interfaceStatus.take(Self.cycle(Self.sick, backingOff, .sick, .sick), at: Self.at(1))
        let state = TogglerState.waiting(NextCheck(at: Self.at(60), why: .backoff))
        let json = Self.json(interfaceStatus, at: 20, state: state, [.onHold(.untilReleased)])
        #expect(
            json["held"]?.elements.compactMap(\.string) == [
                "backing off: the next bounce at the earliest in 40s",
                "held until 'wifi-toggler hold 0' releases it",
            ])
        #expect(json["next"]?["why"]?.string == "backoff" && json["next_ms"]?.duration == .seconds(40))
        #expect(
            StatusText(json).lines.prefix(5).dropFirst().map { $0.prefix(11) } == [
                "  no bounce", "  no bounce", "  nothing d", "  next chec",
            ], "the short answer comes first")
        #expect(StatusText(json).lines.dropFirst(5).first?.hasPrefix("  last check ") == true)
        let onHold = CycleReport.Action.held(.onHold(.until(Self.at(50))))
        interfaceStatus.take(Self.cycle(Self.sick, onHold, .sick, .sick), at: Self.at(21))
        #expect(Self.json(interfaceStatus, at: 22)["held"]?.elements.isEmpty == true)
        let toldToDisconnect = CycleReport.Action.held(.toldToDisconnect(.networkManager))
        interfaceStatus.take(Self.cycle(Self.sick, toldToDisconnect, .sick, .sick), at: Self.at(22))
        #expect(
            Self.json(interfaceStatus, at: 22)["held"]?.elements.compactMap(\.string) == [
                "a user told NetworkManager to leave it disconnected"
            ])
        // The back-off is over, and the next check is a little late.
        interfaceStatus.take(Self.cycle(Self.sick, backingOff, .sick, .sick), at: Self.at(22))
        let late = Self.json(interfaceStatus, at: 61, state: state)
        #expect(
            late["held"]?.elements.first?.string == "backing off: the next bounce at the earliest in 0ms")
        #expect(late["next_ms"]?.duration == .zero)
    }

    @Test("an overdue check leaves no negative time, and during an action only a hold is listed against it")
    func overdue() {
        var interfaceStatus = InterfaceStatus(at: Self.start)
        let backingOff = CycleReport.Action.held(.backingOff(until: Self.at(60)))
        let next = NextCheck(at: Self.at(60), why: .backoff)
        interfaceStatus.take(Self.cycle(Self.sick, backingOff, .sick, .sick, next: next), at: Self.at(1))
        #expect(
            Self.json(interfaceStatus, at: 64)["held"]?.elements.compactMap(\.string) == [
                "backing off: the next bounce at the earliest in 0ms"
            ])
        interfaceStatus.take(.step(.beginning(.bounce, Self.sick)), at: Self.at(65))
        #expect(Self.json(interfaceStatus, at: 66)["held"]?.elements.isEmpty == true)
        let held = Self.json(interfaceStatus, at: 66, [.onHold(.untilReleased)])["held"]
        #expect(held?.elements.count == 1, "a hold still prevents the next one")
    }

    @Test(
        "the status shows no owner, an unknown owner, one owner, or two in conflict",
        arguments: [
            (Ownership.Part(), "nobody"), (Ownership.Part(isComplete: false), "unknown"),
            (Ownership.Part([.init(.iwd, "process 7")], isComplete: false), "iwd"),
            (
                Ownership.Part([.init(.networkd, "a file"), .init(.dhclient, "process 8")]),
                "systemd-networkd + dhclient (in conflict: leave it to one of them)"
            ),
        ])
    func owner(part: Ownership.Part, words: String) {
        var present = Self.present(2)
        present.ownership = Ownership(station: Ownership.Part(), network: part)
        let json = StatusJSON(InterfaceStatus(at: Self.start), present).json
        #expect(json["owner"]?["network"]?["known"]?.isTrue == (words != "unknown"))
        let lines = StatusText(json).lines
        #expect(lines.contains("  associated by nobody, addresses and routes by \(words)"), "\(lines)")
        #expect(
            !StatusText(Self.json(InterfaceStatus(at: Self.start), at: 2)).lines.contains {
                $0.contains("associated")
            })
    }

    @Test("an interface that is gone loses its condition")
    func absent() {
        var interfaceStatus = InterfaceStatus(at: Self.start)
        interfaceStatus.take(Self.cycle(Self.healthy, .none, .undetermined, .healthy), at: Self.at(1))
        interfaceStatus.take(.step(.absent), at: Self.at(5))
        let json = Self.json(interfaceStatus, at: 6, state: .absent(Absence()))
        #expect(json["condition"]?.string == "undetermined" && json["since_ms"]?.duration == .seconds(1))
        #expect(StatusText(json).health == .unknown)
        let events = StatusJSON(interfaceStatus, Self.present(6)).events
        #expect(events.map { $0["event"]?.string } == ["absent"])
    }

    @Test("a new monitor gets the last check's event with the time of that check")
    func event() {
        var interfaceStatus = InterfaceStatus(at: Self.start)
        interfaceStatus.take(Self.cycle(Self.healthy, .none, .undetermined, .healthy), at: Self.at(1))
        let event = StatusJSON(interfaceStatus, Self.present(61)).events.first
        #expect(event?["time"]?.string == "T-60" && event?["verdict"]?.string == "healthy")
    }

    @Test("a monitor is told of a reboot, although the bounce that could not raise the link has not ended")
    func reboot() {
        var interfaceStatus = InterfaceStatus(at: Self.start)
        let records = [Method.bounce, .reset, .reboot].map {
            interfaceStatus.take(.step(.beginning($0, Self.sick)), about: "wlan0", at: Self.at(1))
        }
        #expect(records.map(\.isTold) == [true, false, true])
    }

    @Test("status and action have the keys of the Varlink description, in the same order")
    func keys() throws {
        var interfaceStatus = InterfaceStatus(at: Self.start)
        interfaceStatus.take(Self.cycle(Self.sick, Self.bounced(Self.sick), .sick, .sick), at: Self.at(1))
        let json = Self.json(interfaceStatus, at: 2)
        for (type, object) in [("Interface", json), ("Action", json["last_action"] ?? .null)] {
            guard case .object(let members) = object else {
                Issue.record("no object: \(type)")
                return
            }
            #expect(members.map(\.0) == Self.fields(of: type), "\(type)")
        }
        // The end of a check has no event name of its own.
        let event = StatusJSON(interfaceStatus, Self.present(2)).events.first
        #expect(["event"] + (event?.keys ?? []) == Self.fields(of: "Event"))
    }

    /// The names of the fields of a type, one per line of the description.
    static func fields(of type: String) -> [String] {
        let lines = ControlInterface.description.split(separator: "\n")
        return lines.drop { $0 != "type \(type) (" }.dropFirst().prefix { $0 != ")" }.map { line in
            String(line.drop { $0 == " " }.prefix { $0 != ":" })
        }
    }

    @Test(
        "a malformed status is printed as far as possible",
        arguments: [
            "{}", "[]", "7", #"{"interface":7,"condition":null}"#,
            #"{"last_action":{"methods":[7,"rfkill"]}}"#,
            #"{"next":{"why":"x"},"next_ms":-5,"since_ms":99999999999999999}"#,
            #"{"degraded":{"by":["loss",null]},"held":"x","reasoning":{}}"#,
            #"{"owner":{"station":{"names":"iwd"},"network":7}}"#,
        ])
    func hostile(text: String) throws {
        let status = StatusText(try JSONReader.value(of: Array(text.utf8)[...]))
        #expect(status.health == .unknown)
        #expect(status.lines.count >= 3)
    }

    @Test("a reply is a list of interfaces, an error, or malformed")
    func reply() throws {
        func read(_ text: String) throws(ControlCall.Problem) -> Int {
            try ControlCall.interfaces(in: Array(text.utf8)[...]).count
        }
        #expect(try read(#"{"parameters":{"interfaces":[{},{}]}}"#) == 2)
        #expect(throws: ControlCall.Problem.refused("a.B")) { try read(#"{"error":"a.B"}"#) }
        for text in [
            "", "{}", "[]", #"{"parameters":{"interfaces":7}}"#, #"{"parameters":7}"#, #"{"error":7}"#,
        ] {
            #expect(throws: ControlCall.Problem.nonsense, "\(text)") { try read(text) }
        }
    }
}
