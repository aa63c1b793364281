import Model
import Testing

@testable import Reporting
@testable import Toggling

@Suite("Events for hooks") struct HookEventTests {
    private static let now = Instant(nanoseconds: 1_000_000_000_000)
    private static let sick = Verdict(
        .sick, layer: .gateway, reason: .gatewaySilent([IPAddress("192.0.2.1")!]))
    private static let healthy = Verdict(.healthy, reason: .nothingWrongInKernel)

    private static func cycle(
        _ action: CycleReport.Action, _ before: Health.Condition, _ after: Health.Condition
    ) -> Report {
        .cycle(
            CycleReport(
                verdict: after == .healthy ? healthy : sick, action: action,
                change: HealthChange(before: before, after: after, streak: 1), next: nil))
    }

    @Test("health, a bounce, a new reason against it, a block and absence are events; a repetition is none")
    func events() {
        let summary = BounceSummary(down: .seconds(3), recovery: .seconds(1), restoration: Restoration())
        let backingOff = CycleReport.Action.held(.backingOff(until: Self.now))
        let link = Link(
            index: InterfaceIndex(rawValue: 1), name: "wlan0", isUp: true, hasCarrier: true,
            operationalState: .up)
        let story: [(Report, [HookEvent])] = [
            (.watching(Settings(), first: Self.now), [.started]),
            (Self.cycle(.none, .undetermined, .healthy), [.health]),
            (Self.cycle(.none, .healthy, .healthy), []),
            (Self.cycle(.none, .healthy, .sick), [.health]),
            (.step(.beginning(.bounce, Self.sick)), [.bounceBegun]),
            (.step(.lowered(keptDownFor: .seconds(3))), []),
            (.step(.raised(downFor: .seconds(3))), []),
            (Self.cycle(.bounced(summary), .sick, .healthy), [.bounceFinished]),
            (Self.cycle(backingOff, .healthy, .sick), [.health, .held]),
            (Self.cycle(backingOff, .sick, .sick), []),
            (Self.cycle(.held(.onHold(.untilReleased)), .sick, .sick), [.held]),
            (Self.cycle(.held(.quiet(until: Self.now)), .undetermined, .sick), [.health, .held]),
            (Self.cycle(.held(.quiet(until: Self.now)), .sick, .healthy), [.health]),
            (Self.cycle(.refused(.radioBlocked(.soft)), .sick, .undetermined), [.radioBlocked]),
            (Self.cycle(.refused(.radioBlocked(.hard)), .undetermined, .undetermined), []),
            (.step(.raisingAfterBlock), [.bounceBegun]),
            (Self.cycle(.raised(summary), .undetermined, .healthy), [.bounceFinished]),
            (.step(.absent), [.absent]), (.step(.absent), []),
            (.step(.appeared(link)), [.appeared]), (.step(.absent), [.absent]),
            // A reset for the lost interface that fails ends without a cycle.
            (.step(.beginning(.reset, Self.sick)), [.bounceBegun]), (.step(.absent), [.absent]),
            (.step(.absent), []),
        ]
        var watch = HookWatch()
        for (position, step) in story.enumerated() {
            #expect(watch.take(step.0) == step.1, "report \(position)")
        }
    }

    private static func record(_ event: HookEvent, _ report: Report) -> HookMessage {
        HookMessage(
            event, Record(report, about: "wlan0", at: now), dropped: 2, wallTime: { _ in "later" })
    }

    @Test("each event has the keys of run --json, plus `event` and `dropped`")
    func keys() {
        let cycle = Self.cycle(.none, .healthy, .sick)
        let expected = Record(cycle, about: "wlan0", at: Self.now).json(wallTime: { _ in "" }).keys
        let reports: [Report] = [
            cycle, .watching(Settings(), first: Self.now), .step(.beginning(.rfkill, Self.sick)),
            .step(.absent), .step(.raisingAfterBlock),
        ]
        for report in reports {
            let keys = Self.record(.health, report).json.keys
            #expect(keys == ["event", "dropped"] + expected)
        }
    }

    @Test(
        "a hook's variables have the event's verdict and reason; its JSON object has the methods, too"
    )
    func variables() {
        let record = Self.record(.bounceBegun, .step(.beginning(.rfkill, Self.sick)))
        #expect(
            record.variables.map { "\($0.name)=\($0.value)" } == [
                "WIFI_TOGGLER_EVENT=bounce-begun", "WIFI_TOGGLER_DROPPED=2",
                "WIFI_TOGGLER_INTERFACE=wlan0", "WIFI_TOGGLER_VERDICT=sick", "WIFI_TOGGLER_LAYER=gateway",
                "WIFI_TOGGLER_REASON=the gateway 192.0.2.1 does not answer", "WIFI_TOGGLER_ACTION=none",
            ])
        #expect(record.json["methods"]?.elements.compactMap(\.string) == ["rfkill"])
        let asked = Self.record(.bounceBegun, .step(.beginning(.bounce, nil)))
        #expect(asked.json["reason"]?.string == "requested by toggle or --force")
    }
}
