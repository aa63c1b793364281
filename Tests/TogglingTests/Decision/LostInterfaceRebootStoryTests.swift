import Testing

@testable import Model
@testable import Toggling

@Suite("Stories of a reboot because no reset brings back a lost interface")
struct LostInterfaceRebootStoryTests {
    /// A world whose device does not give its interface back after a reset, with the reboot as the last resort.
    private static func dead(
        _ loss: LossOfInterface? = .bound, _ change: (inout Settings) -> Void = { _ in }
    ) -> VirtualWorld {
        var world = LostInterfaceStoryTests.world(loss) {
            $0.methodsBesideAuto = [.reboot]
            change(&$0)
        }
        world.raisingFailure = Failure(kind: .notBack, description: "the driver did not give it back")
        return world
    }

    @Test("after resets in vain for a quarter of an hour, the machine is rebooted, if the user named that")
    func rebooted() throws {
        var world = Self.dead()
        world.run(for: .seconds(900))
        #expect(world.orders.tried.contains(.reset) && !world.orders.tried.contains(.reboot))
        #expect(world.orders.questionsForReboot == 0)
        world.run(for: .seconds(120))
        #expect(world.orders.tried.last == .reboot && world.toggler.state.name == "performing")
        guard case .beginning(.reboot, let verdict?) = try #require(world.reports.steps.last) else {
            Issue.record("not told: \(world.reports.steps.suffix(1))")
            return
        }
        #expect(verdict.layer == .radio && verdict.reason == .interfaceLost)
        world.tell(.terminationRequested)
        #expect(world.reports.outcome == .interrupted && world.orders.stopped == 1)

        let changes: [(inout Settings) -> Void] = [{ $0.methodsBesideAuto = [] }, { $0.settle = .zero }]
        for change in changes {
            var other = Self.dead(.bound, change)
            other.run(for: .seconds(80_000))
            #expect(!other.orders.tried.contains(.reboot) && other.orders.questionsForReboot == 0)
        }
    }

    @Test("an unplugged device is no reason for a reboot, and neither is one that comes back")
    func notRebooted() {
        var unplugged = Self.dead(nil)
        unplugged.run(for: .seconds(7200))
        #expect(unplugged.orders.tried.isEmpty)
        var back = LostInterfaceStoryTests.world(.bound) { $0.methodsBesideAuto = [.reboot] }
        back.run(for: .seconds(7200))
        #expect(back.orders.tried == [.reset])
    }

    @Test("the reboot of a machine without interface has the same obstacles as any other")
    func obstacles() {
        let obstacles: [(change: (inout VirtualWorld) -> Void, told: NoBounceReason?)] = [
            ({ $0.conditions.rebootState.user = "alice" }, .noReboot(.login("alice"))),
            ({ $0.conditions.rebootState.otherUplink = "eth0" }, .noReboot(.uplink("eth0"))),
            ({ $0.conditions.rebootState.isRecordable = false }, .noReboot(.unrecordable)),
            ({ $0.conditions.administrativeHold = .untilReleased }, .onHold(.untilReleased)),
            ({ $0.conditions.rebootState.reboots = [$0.now] }, nil),
        ]
        for obstacle in obstacles {
            var world = Self.dead()
            world.run(for: .seconds(400))
            obstacle.change(&world)
            world.run(for: .seconds(3600))
            #expect(!world.orders.tried.contains(.reboot))
            let told = world.reports.steps.filter {
                guard case .notRecovered(.interfaceLost, let reason) = $0 else { return false }
                return obstacle.told.map { $0 == reason } ?? (reason.kind == .noReboot)
            }
            #expect(told.count == 1, "\(world.reports.steps)")
            (world.conditions.rebootState, world.conditions.administrativeHold) = (RebootState(), nil)
            world.run(for: .seconds(100))
            #expect(world.orders.tried.last == .reboot)
        }
    }

    @Test("a reboot that failed is tried again later, and an interface that comes back cancels it")
    func failedReboot() {
        var world = Self.dead()
        let failure = Failure(kind: .busy, description: "inhibited")
        world.refused[.reboot] = failure
        world.run(for: .seconds(1020))
        #expect(world.orders.tried.last == .reboot && world.toggler.state.name == "absent")
        #expect(world.reports.steps.contains(.passedOver(.reboot, .performing, failure, next: nil)))
        world.conditions.rebootState.failedAt = world.now
        let tried = world.orders.reboots
        world.run(for: .seconds(800))
        #expect(world.orders.reboots == tried)
        world.refused = [:]
        world.run(until: "performing")
        world.run(for: .seconds(200))
        #expect(world.orders.tried.last == .reboot && world.toggler.state.name == "performing")
        let stopped = world.orders.stopped
        world.raisingFailure = nil
        world.appear()
        world.run(for: .seconds(60))
        #expect(
            world.orders.stopped == stopped + 1 && world.reports.cycles.last?.verdict.conclusion == .healthy)
    }
}
