import Testing

@testable import Model
@testable import Toggling

@Suite("Stories of a reboot as the last resort") struct LastResortStoryTests {
    /// A world whose gateway is silent for good; in the service, after two healthy minutes.
    static func world(
        _ runMode: RunMode = .watch, methods: [Model.Method] = [.bounce, .reboot],
        _ change: (inout Settings) -> Void = { _ in }
    ) -> VirtualWorld {
        var world = VirtualWorld(
            runMode,
            Sample.settings {
                $0.methods = methods
                change(&$0)
            })
        world.start()
        if runMode == .watch { world.run(for: .seconds(120)) }
        world.hosts.gatewayAnswers = false
        return world
    }

    private static func obstacle(_ world: VirtualWorld) -> NoRebootReason? {
        for case .held(.noReboot(let obstacle)) in world.reports.cycles.reversed().map(\.action) {
            return obstacle
        }
        return nil
    }

    @Test("after a quarter of an hour of useless recovery the machine is rebooted, and this is reported")
    func rebooted() throws {
        var world = Self.world()
        world.run(for: .seconds(900))
        #expect(
            world.orders.reboots == 0 && !world.orders.lowered.isEmpty && world.orders.questionsForReboot == 0
        )
        // The time before the reboot began with the third sick verdict, and checks are a minute apart.
        world.run(for: .seconds(150))
        #expect(world.orders.reboots == 1 && world.orders.tried.last == .reboot)
        #expect(world.toggler.state.name == "performing")
        guard case .beginning(.reboot, let verdict?) = try #require(world.reports.steps.last) else {
            Issue.record("not told: \(world.reports.steps.suffix(1))")
            return
        }
        #expect(verdict.layer == .gateway)
        // While the machine goes down, the service manager tells the program to end.
        world.tell(.terminationRequested)
        #expect(world.reports.outcome == .interrupted && world.orders.stopped == 1)
    }

    @Test("the user can set the time before the reboot")
    func after() {
        var world = Self.world { $0.rebootAfter = .seconds(3600) }
        world.run(for: .seconds(3500))
        #expect(world.orders.reboots == 0)
        world.run(for: .seconds(300))
        #expect(world.orders.reboots == 1)
    }

    @Test("every other method is tried before a reboot, and a skipped one counts as tried")
    func others() {
        var world = Self.world(methods: [.owner, .bounce, .rfkill, .reboot])
        world.refused[.rfkill] = Failure(kind: .unavailable, description: "no switch")
        world.run(for: .seconds(1050))
        #expect(
            world.orders.tried.first == .owner
                && Set(world.orders.tried) == [.owner, .bounce, .rfkill, .reboot])
        #expect(world.orders.tried.last == .reboot)
        // A hold from the first failed method on: the other methods were not tried, so there is no reboot.
        var interrupted = Self.world(methods: [.owner, .bounce, .reboot])
        interrupted.onMethod = { world, method in
            if method == .owner { world.conditions.administrativeHold = .untilReleased }
        }
        interrupted.run(for: .seconds(1200))
        #expect(interrupted.orders.tried == [.owner])
        interrupted.conditions.administrativeHold = nil
        interrupted.onMethod = { _, _ in }
        interrupted.run(for: .seconds(30))
        #expect(interrupted.orders.reboots == 0)
    }

    @Test("the machine is also rebooted if every other method was unavailable")
    func nothing() {
        var world = Self.world(methods: [.rfkill, .reboot])
        world.refused[.rfkill] = Failure(kind: .unavailable, description: "no switch")
        world.run(for: .seconds(1050))
        #expect(world.orders.reboots == 1)
    }

    @Test("a method that was useless, and has helped since, is tried again before a reboot")
    func helped() {
        var world = Self.world()
        world.run(for: .seconds(100))
        #expect(world.toggler.limiter.state.inVain == [.bounce])
        world.hosts.gatewayAnswers = true
        world.run(for: .seconds(120))
        // For the limits, the outage has not ended yet. A bounce helps this time.
        world.hosts.gatewayAnswers = false
        world.onMethod = { world, method in if method == .bounce { world.hosts.gatewayAnswers = true } }
        world.run(for: .seconds(600))
        #expect(world.toggler.limiter.state.inVain.isEmpty && world.orders.reboots == 0)
    }

    @Test("a healthy check restarts the time before the reboot")
    func interrupted() {
        var world = Self.world()
        world.run(for: .seconds(800))
        world.hosts.gatewayAnswers = true
        world.run(for: .seconds(130))
        world.hosts.gatewayAnswers = false
        world.run(for: .seconds(850))
        #expect(world.orders.reboots == 0)
        world.run(for: .seconds(250))
        #expect(world.orders.reboots == 1)
    }

    @Test("the machine is rebooted at most once a day", arguments: [(86_000, false), (86_500, true)])
    func daily(age: Int64, isRebooted: Bool) {
        var world = Self.world()
        world.conditions.rebootState.reboots = [world.now + .seconds(1020 - age)]
        world.run(for: .seconds(1080))
        #expect((world.orders.reboots == 1) == isRebooted)
        if !isRebooted {
            #expect(
                Self.obstacle(world)
                    == .limit(until: world.conditions.rebootState.reboots[0] + .seconds(86400)))
        }
    }

    @Test("the machine is rebooted at most three times a week", arguments: [2, 3])
    func weekly(count: Int) {
        var world = Self.world()
        world.conditions.rebootState.reboots = (1...count).reversed().map {
            world.now + .seconds(-90_000 * Int64($0))
        }
        world.run(for: .seconds(1080))
        #expect((world.orders.reboots == 1) == (count < 3))
    }

    @Test("the machine is not rebooted in a network that has never worked on it")
    func unknownNetwork() {
        var world = Self.world()
        world.link.ssid = SSID("elsewhere".utf8)
        world.run(for: .seconds(1500))
        #expect(world.orders.reboots == 0 && Self.obstacle(world) == .neverWorked)
        // The same applies if no network has ever worked on the machine.
        var fresh = VirtualWorld(.watch, Sample.settings { $0.methods = [.bounce, .reboot] })
        fresh.hosts.gatewayAnswers = false
        fresh.start()
        fresh.run(for: .seconds(1500))
        #expect(fresh.orders.reboots == 0 && Self.obstacle(fresh) == .neverWorked)
    }

    @Test("a machine that also has a default route over another interface is not rebooted")
    func otherUplink() {
        var world = Self.world()
        world.conditions.rebootState.otherUplink = "eth0"
        world.run(for: .seconds(1500))
        #expect(world.orders.reboots == 0 && Self.obstacle(world) == .uplink("eth0"))
        world.conditions.rebootState.otherUplink = nil
        world.run(for: .seconds(120))
        #expect(world.orders.reboots == 1)
    }

    @Test("a station without an association counts as being in the network that it has lost")
    func lostNetwork() {
        var world = Self.world()
        (world.hosts.gatewayAnswers, world.link.isInRange) = (true, false)
        world.run(for: .seconds(1200))
        #expect(world.orders.reboots == 1)
    }

    @Test("the time for which the machine sleeps does not count")
    func slept() {
        var world = Self.world()
        (world.hosts.gatewayAnswers, world.link.isInRange) = (true, false)
        world.run(for: .seconds(600))
        #expect(world.orders.tried.contains(.bounce))
        world.sleep(for: .seconds(3600))
        world.tell(.resumed(slept: .seconds(3600)))
        world.run(for: .seconds(840))
        #expect(world.orders.reboots == 0)
        world.run(for: .seconds(180))
        #expect(world.orders.reboots == 1)
    }

    @Test("a station that joins its network before the machine is rebooted prevents that")
    func joined() {
        var world = Self.world()
        (world.hosts.gatewayAnswers, world.link.isInRange) = (true, false)
        world.run(for: .seconds(1200))
        #expect(world.toggler.state.name == "performing" && world.orders.stopped == 0)
        world.tell(.linkChanged(world.link.announced(at: world.now)))
        #expect(world.toggler.state.name == "performing", "it has not joined yet")
        world.link.isInRange = true
        world.link.associate(at: world.now)
        world.tell(.linkChanged(world.link.announced(at: world.now)))
        #expect(world.orders.stopped == 1)
        world.run(for: .seconds(120))
        #expect(world.orders.reboots == 1 && world.toggler.health.condition == .healthy)
    }

    @Test(
        "a hold, quiet hours, a login or a host that is heard postpones the reboot like a bounce",
        arguments: ["hold", "quiet", "login", "alive"])
    func held(what: String) {
        var world = Self.world()
        world.run(for: .seconds(850))
        switch what {
        case "hold": world.conditions.administrativeHold = .untilReleased
        case "quiet": world.conditions.quietUntil = world.now + .seconds(100_000)
        case "login": world.conditions.logins = [Sample.login]
        default: world.conditions.liveness = [Sample.alive]
        }
        world.run(for: .seconds(2000))
        #expect(world.orders.reboots == 0)
        world.conditions.administrativeHold = nil
        (world.conditions.quietUntil, world.conditions.logins, world.conditions.liveness) = (nil, [], [])
        world.run(for: .seconds(70))
        #expect(world.orders.reboots == 1)
    }

    @Test("a user who told the owner to disconnect prevents the reboot")
    func disconnected() {
        var world = Self.world()
        (world.hosts.gatewayAnswers, world.link.isInRange) = (true, false)
        world.conditions.owner = OwnerCondition(.networkManager, .toldToDisconnect)
        world.run(for: .seconds(2000))
        #expect(world.orders.tried.isEmpty)
        #expect(world.reports.cycles.last?.action == .held(.toldToDisconnect(.networkManager)))
    }

    @Test("a spent budget postpones the reboot")
    func budget() {
        var world = Self.world {
            $0.dailyBudget = 2
            $0.backoff = .seconds(1)
        }
        world.run(for: .seconds(3000))
        #expect(world.orders.tried == [.bounce, .bounce])
        guard case .held(.budgetSpent)? = world.reports.cycles.last?.action else {
            Issue.record("\(String(describing: world.reports.cycles.last?.action))")
            return
        }
    }

    @Test("any user's session prevents the reboot, unless --even-if-in-use is given")
    func login() {
        var world = Self.world()
        world.conditions.rebootState.user = "alice"
        world.run(for: .seconds(1500))
        #expect(world.orders.reboots == 0 && Self.obstacle(world) == .login("alice"))
        world.advance(to: Sample.settings { ($0.methods, $0.bouncesInUse) = ([.bounce, .reboot], true) })
        world.run(for: .seconds(70))
        #expect(world.orders.reboots == 1)
    }

    @Test("a reboot that cannot be recorded on disk is not made")
    func unrecordable() {
        var world = Self.world()
        world.conditions.rebootState.isRecordable = false
        world.run(for: .seconds(1500))
        #expect(world.orders.reboots == 0 && Self.obstacle(world) == .unrecordable)
    }

    @Test("a failed reboot is retried after another --reboot-after, and bounces continue meanwhile")
    func failed() {
        var world = Self.world()
        world.refused[.reboot] = Failure(kind: .busy, description: "inhibited")
        world.run(for: .seconds(900))
        while world.orders.reboots == 0, world.now < .seconds(3000) { world.run(for: .seconds(1)) }
        #expect(world.orders.reboots == 1)
        world.conditions.rebootState.failedAt = world.now
        let bounces = world.orders.lowered.count
        world.run(for: .seconds(800))
        #expect(world.orders.reboots == 1)
        #expect(
            Self.obstacle(world)
                == world.conditions.rebootState.failedAt.map { .failed(until: $0 + .seconds(900)) })
        while world.orders.reboots == 1, world.now < .seconds(4000) { world.run(for: .seconds(1)) }
        #expect(world.orders.reboots == 2)
        // By now the longest back-off applies, so allow two hours for a bounce.
        world.conditions.rebootState.failedAt = world.now + .seconds(100_000)
        world.run(for: .seconds(7300))
        #expect(world.orders.lowered.count > bounces)
    }

    @Test("a dry run says that it would reboot, and changes nothing")
    func dryRun() {
        var world = Self.world { $0.isDryRun = true }
        world.run(for: .seconds(800))
        #expect(world.reports.cycles.last?.action == .skipped(.dryRun([.bounce])))
        world.run(for: .seconds(250))
        #expect(
            world.orders.tried.isEmpty && world.reports.cycles.last?.action == .skipped(.dryRun([.reboot])))
    }

    @Test(
        "a one-shot, the plain timer and a user's request never reboot the machine",
        arguments: [RunMode.toggle, .reconnect, .watch])
    func others(runMode: RunMode) {
        var world = Self.world(runMode) { $0.isForced = runMode == .watch }
        world.run(for: .seconds(3000))
        #expect(!world.orders.tried.isEmpty && world.orders.reboots == 0)
        guard runMode == .watch else { return }
        var requested = Self.world()
        requested.run(for: .seconds(950))
        requested.conditions.rebootState.user = "alice"
        requested.run(for: .seconds(150))
        requested.tell(.bounceRequested(delay: nil))
        requested.run(for: .seconds(50))
        #expect(requested.orders.reboots == 0 && requested.orders.tried.last == .bounce)
    }

    /// `doctor` reports that such settings prevent a reboot.
    @Test("without a settle time no method counts as failed, so that there is no reboot")
    func unverified() {
        var world = Self.world { $0.settle = .zero }
        world.run(for: .seconds(7200))
        #expect(
            !world.orders.lowered.isEmpty && world.orders.reboots == 0 && world.orders.questionsForReboot == 0
        )

        // If the kernel refuses an item, it is only asked whether the interface still exists.
        var refused = Self.world(methods: [.bounce, .rfkill, .reboot]) { $0.settle = .zero }
        let route = "default via 10.77.0.1 dev wlan0 proto static"
        let failure = Failure(kind: .other, code: 101, description: "Nexthop has invalid gateway")
        refused.configuration.restoration = Restoration(
            lost: [route], refused: [Restoration.Refused(description: route, failure: failure)])
        refused.run(for: .seconds(7200))
        #expect(Set(refused.orders.tried) == [.bounce] && refused.orders.questionsForReboot == 0)
        #expect(
            refused.reports.cycles.contains { $0.action.summary != nil && $0.verdict.reason == .notVerified })
    }

    @Test("`auto` alone never reboots")
    func automatic() {
        var world = Self.world(methods: [])
        world.run(for: .seconds(7200))
        #expect(world.orders.reboots == 0 && world.orders.questionsForReboot == 0)
    }
}
