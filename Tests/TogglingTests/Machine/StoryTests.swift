import Testing

@testable import Model
@testable import Toggling

/// Whole stories on a virtual clock.
@Suite("Stories of the state machine") struct StoryTests {
    @Test("a healthy link is checked every interval and never touched")
    func healthy() {
        var world = VirtualWorld(.watch)
        world.start()
        world.run(for: .seconds(301))
        #expect(world.orders.lowered.isEmpty)
        #expect(world.orders.checks.map(\.wholeSeconds) == [0, 60, 120, 180, 240, 300])
        #expect(world.reports.cycles.allSatisfy { $0.verdict.conclusion == .healthy && $0.action == .none })
    }

    @Test("three sick verdicts, five seconds apart, cause one bounce that heals")
    func sickThenHealed() throws {
        var world = VirtualWorld(.watch)
        world.start()
        world.run(for: .seconds(30))
        world.hosts.gatewayAnswers = false
        world.onRaise = { $0.hosts.gatewayAnswers = true }
        world.run(for: .seconds(90))
        #expect(world.orders.lowered.count == 1, "\(world.reports.cycles)")
        // The first sick check begins at 60 s. Each takes two time-outs of 2 s (neighbour, echo), and 5 s lie
        // between.
        #expect(try #require(world.orders.lowered.first).wholeSeconds == 60 + 3 * 4 + 2 * 5)
        #expect(try #require(world.orders.raised.first) - world.orders.lowered[0] >= .seconds(3))
        let bounce = try #require(world.reports.cycles.compactMap(\.action.summary).first)
        #expect(bounce.recovery != nil)
        #expect(world.toggler.health.condition == .healthy)
    }

    @Test(
        "a station that is disconnected and joins again within ten seconds is not bounced",
        arguments: [1, 57.5, 58.9])
    func thrownOut(at instant: Double) {
        var world = VirtualWorld(.watch)
        world.start()
        world.run(for: .seconds(instant))
        world.link.isInRange = false
        world.tell(.disconnected(nil))
        // With the later starts, a scheduled check also falls into the time without association.
        for _ in 0..<6 {
            world.run(for: .seconds(1.4))
            world.tell(.addressingChanged)
        }
        world.link.isInRange = true
        world.run(for: .seconds(60))
        #expect(world.orders.lowered.isEmpty)
        #expect(world.toggler.health.condition == .healthy)
    }

    @Test("a station that rejoined and lacks an address is bounced only after a new streak of sick checks")
    func addressOnItsWay() {
        var world = VirtualWorld(
            .watch,
            Sample.settings {
                $0.backoff = .seconds(1)
                $0.backoffMaximum = .seconds(1)
                $0.settle = .seconds(5)
                $0.budget = 100
            })
        world.start()
        world.link.isInRange = false
        world.tell(.disconnected(nil))
        world.run(for: .seconds(210))
        let count = world.orders.lowered.count
        #expect(count >= 3)
        world.link.isInRange = true
        world.link.hasAddress = false
        world.tell(.linkChanged(Sample.link()))
        world.run(for: .seconds(8))
        world.link.hasAddress = true
        world.tell(.addressingChanged)
        world.run(for: .seconds(30))
        #expect(world.orders.lowered.count == count)
        #expect(world.toggler.health.condition == .healthy)
    }

    @Test("an unknown verdict never causes a bounce")
    func unknown() {
        var world = VirtualWorld(.watch)
        world.hosts.mayProbe = false
        world.start()
        world.run(for: .seconds(3600))
        #expect(world.orders.lowered.isEmpty)
        #expect(world.reports.cycles.allSatisfy { $0.verdict.conclusion == .unknown })
    }

    @Test("the verdict on an interface without a gateway in its routes is unknown, not sick")
    func noGateway() {
        var world = VirtualWorld(.reconnect)
        world.link.gateways = []
        world.start()
        world.run(for: .seconds(60))
        #expect(world.reports.outcome == .unknown)
        #expect(world.reports.cycles.last?.verdict.reason == .noGateway)
    }

    @Test("the plain timer bounces at once and then every interval, without drift, and once after a suspend")
    func force() {
        var world = VirtualWorld(.watch, Sample.settings { $0.isForced = true })
        world.start()
        world.run(for: .seconds(179))
        #expect(world.orders.lowered.map(\.wholeSeconds) == [0, 60, 120])
        world.sleep(for: .seconds(600))
        world.run(for: .seconds(70))
        #expect(world.orders.lowered.map(\.wholeSeconds) == [0, 60, 120, 779, 840])
    }

    @Test("if the interface has disappeared when it is to be lowered, it is absent, and nothing has failed")
    func goneBeforeLowering() {
        let gone = Failure(kind: .noSuchDevice, code: 19, description: "No such device")
        var shot = VirtualWorld(.toggle)
        shot.loweringFailure = gone
        shot.start()
        shot.run(for: .seconds(60))
        #expect(shot.reports.outcome == .refused(.absent))
        var service = VirtualWorld(.watch, Sample.settings { $0.isForced = true })
        service.loweringFailure = gone
        service.start()
        service.run(for: .seconds(60))
        #expect(service.toggler.state.name == "absent")
        #expect(service.reports.steps.last == .absent)
    }

    @Test("the plain timer keeps its schedule, whatever notifications arrive in between")
    func forcedPace() {
        var world = VirtualWorld(
            .watch,
            Sample.settings {
                $0.isForced = true
                $0.interval = .seconds(3600)
                $0.settle = .zero
            })
        world.start()
        world.run(for: .seconds(60))
        #expect(world.orders.lowered.count == 1)
        // Announcements of the program's own bounce arrive late.
        for isUp in [false, true] {
            world.tell(.linkChanged(Sample.link(isUp: isUp)))
            world.run(for: .seconds(5))
        }
        #expect(world.orders.lowered.count == 1)
        world.run(for: .seconds(3600))
        #expect(world.orders.lowered.count == 2)
    }

    @Test("the plain timer (--force) raises a link after an rfkill block, and keeps its schedule")
    func forcedRFKill() {
        var world = VirtualWorld(
            .watch,
            Sample.settings {
                $0.isForced = true
                $0.interval = .seconds(3600)
            })
        world.start()
        world.run(for: .seconds(60))
        world.link.isUp = false
        world.tell(.linkChanged(Sample.link(isUp: false)))
        world.link.radio = .soft
        world.tell(.radioChanged(.soft))
        world.link.radio = .none
        world.tell(.radioChanged(.none))
        world.run(for: .seconds(60))
        #expect(world.orders.raised.count == 2 && world.orders.lowered.count == 1)
        world.run(for: .seconds(3600))
        #expect(world.orders.lowered.map(\.wholeSeconds) == [0, 3600])
    }

    @Test("the plain timer goes on when a bounce fails, and says why")
    func forceGoesOn() {
        var world = VirtualWorld(.watch, Sample.settings { $0.isForced = true })
        world.loweringFailure = Failure(kind: .busy, code: 16, description: "Device or resource busy")
        world.start()
        world.run(for: .seconds(61))
        #expect(world.reports.cycles.count == 2)
        for cycle in world.reports.cycles {
            #expect(cycle.action == .failed(.lowering, world.loweringFailure!))
        }
        world.loweringFailure = nil
        world.run(for: .seconds(60))
        #expect(world.orders.lowered.count == 1)
    }

    @Test("reconnect on a healthy link ends at once and changes nothing")
    func reconnectHealthy() {
        var world = VirtualWorld(.reconnect)
        world.start()
        world.run(for: .seconds(1))
        #expect(world.reports.outcome == .healthy)
        #expect(world.orders.lowered.isEmpty && world.reports.cycles.count == 1)
    }

    @Test("reconnect on a sick link bounces once and verifies")
    func reconnectSick() {
        var world = VirtualWorld(.reconnect)
        world.hosts.gatewayAnswers = false
        world.onRaise = { $0.hosts.gatewayAnswers = true }
        world.start()
        world.run(for: .seconds(60))
        #expect(world.reports.outcome == .healthy)
        #expect(world.orders.lowered.count == 1)
    }

    @Test("reconnect reports sick if the bounce did not help")
    func reconnectInVain() {
        var world = VirtualWorld(.reconnect)
        world.link.isInRange = false
        world.start()
        world.run(for: .seconds(120))
        #expect(world.reports.outcome == .sick)
        #expect(world.orders.lowered.count == 1)
        #expect(world.reports.cycles.last?.verdict.layer == .association)
    }

    @Test(
        "a bounce of a blocked or lowered link is refused before anything is changed",
        arguments: [
            (RadioBlock.soft, true, NoBounceReason.radioBlocked(.soft)),
            (.hard, true, .radioBlocked(.hard)),
            (.none, false, .administrativelyDown),
        ])
    func refused(radio: RadioBlock, isUp: Bool, noBounceReason: NoBounceReason) {
        for runMode in [RunMode.toggle, .reconnect] {
            var world = VirtualWorld(runMode)
            world.link.radio = radio
            world.link.isUp = isUp
            world.start()
            world.run(for: .seconds(60))
            #expect(world.reports.outcome == .refused(noBounceReason))
            #expect(world.orders.lowered.isEmpty && world.orders.raised.isEmpty)
        }
    }

    @Test("the service leaves a link down that a user set down, and watches it again once it is raised")
    func respectsAdministrator() {
        var world = VirtualWorld(.watch)
        world.link.isUp = false
        world.start()
        world.run(for: .seconds(600))
        #expect(world.orders.lowered.isEmpty && world.orders.raised.isEmpty)
        world.link.isUp = true
        world.tell(.linkChanged(Sample.link()))
        world.run(for: .seconds(2))
        #expect(world.toggler.health.condition == .healthy)
    }

    @Test(
        "a program told to end while it keeps the link down raises the link first",
        arguments: [RunMode.watch, .toggle, .reconnect]
    )
    func terminated(runMode: RunMode) {
        var world = VirtualWorld(
            runMode,
            Sample.settings {
                $0.isForced = true
                $0.delay = .seconds(20)
            })
        world.start()
        world.run(for: .seconds(5))
        #expect(!world.link.isUp)
        world.tell(.terminationRequested)
        world.run(for: .milliseconds(50))
        #expect(world.link.isUp)
        #expect(world.reports.outcome == .interrupted)
    }

    @Test("if the radio is blocked while the link is kept down, the raise waits for the unblock")
    func blockedDuringHold() {
        var world = VirtualWorld(.watch, Sample.settings { $0.isForced = true })
        world.start()
        world.run(for: .seconds(1))
        world.raisingFailure = Failure(kind: .radioBlocked, code: 132, description: "RF-kill")
        world.run(for: .seconds(10))
        #expect(!world.link.isUp)
        world.raisingFailure = nil
        world.tell(.radioChanged(.none))
        #expect(world.link.isUp)
    }

    @Test("if another program raises the link while it is kept down, the link stays up")
    func raisedByOther() {
        var world = VirtualWorld(.toggle, Sample.settings { $0.delay = .seconds(20) })
        world.start()
        world.run(for: .seconds(1))
        world.link.isUp = true
        world.tell(.linkChanged(Sample.link()))
        world.run(for: .seconds(1))
        #expect(world.reports.steps.contains(.raisedByOther))
        #expect(world.orders.lowered.count == 1)
        #expect(world.reports.outcome == .healthy)
    }

    @Test("a late notification that the link is up does not end the time down")
    func staleAnnouncement() {
        var world = VirtualWorld(.toggle, Sample.settings { $0.delay = .seconds(20) })
        world.start()
        world.run(for: .seconds(1))
        world.tell(.linkChanged(Sample.link()))
        world.run(for: .seconds(10))
        #expect(!world.link.isUp && world.orders.raised.isEmpty)
    }

    @Test("an interface that disappears is awaited, and checked when it is back")
    func replugged() {
        var world = VirtualWorld(.watch)
        world.start()
        world.run(for: .seconds(5))
        world.tell(.linkRemoved)
        #expect(Array(world.queue.deadlines.keys) == [.nextCheck], "its device may have lost it")
        world.run(for: .seconds(600))
        world.tell(.linkAppeared(Sample.link()))
        world.run(for: .seconds(1))
        #expect(world.reports.cycles.last?.verdict.conclusion == .healthy)
    }

    @Test("if the bounce lost the gateway's route, the verdict is sick, not unknown")
    func routeLost() {
        var world = VirtualWorld(.toggle)
        world.onRaise = { $0.link.gateways = [] }
        world.start()
        world.run(for: .seconds(60))
        #expect(world.reports.outcome == .sick)
        #expect(world.reports.cycles.last?.verdict.reason == .gatewayRouteLost([Sample.gateway]))
    }

    @Test("an item that could not be restored makes the bounce a failure")
    func couldNotPutBack() {
        var world = VirtualWorld(.toggle)
        let failure = Failure(kind: .other, code: 101, description: "Network is unreachable")
        world.configuration.restoration = Restoration(
            lost: ["default via 10.77.0.1"],
            refused: [Restoration.Refused(description: "default via 10.77.0.1", failure: failure)])
        world.start()
        world.run(for: .seconds(60))
        #expect(world.reports.outcome == .sick)
    }

    @Test("a dry run decides, and changes nothing")
    func dryRun() {
        for runMode in [RunMode.watch, .toggle, .reconnect] {
            var world = VirtualWorld(runMode, Sample.settings { $0.isDryRun = true })
            world.hosts.gatewayAnswers = false
            world.start()
            world.run(for: .seconds(600))
            #expect(world.orders.lowered.isEmpty)
            #expect(world.reports.cycles.contains { $0.action == .skipped(.dryRun([.bounce])) })
        }
    }

    @Test("a bounce without a settle time ends when the link is up")
    func noSettling() {
        var world = VirtualWorld(
            .toggle,
            Sample.settings {
                $0.delay = .zero
                $0.settle = .zero
                $0.probes = [ProbeSpec(.none)]
            })
        world.start()
        world.run(for: .milliseconds(10))
        #expect(world.reports.outcome == .healthy)
        #expect(world.orders.questions.isEmpty)
    }

    @Test("the gateway is not probed before the link is operational again")
    func beforeOperational() {
        var world = VirtualWorld(.toggle, Sample.settings { $0.delay = .zero })
        world.start()
        world.run(for: .milliseconds(190))
        #expect(world.orders.questions.isEmpty)
        world.run(for: .seconds(5))
        #expect(world.orders.questions == [.neighbour(Sample.gateway)])
    }
}
