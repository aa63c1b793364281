import Testing

@testable import Model
@testable import Toggling

/// Stories in which a bounce is interrupted: the guard dies, the kernel or an owner delays the bounce, the
/// program is told to end, the settings change, a user sets the link down, or the interface disappears.
@Suite("Stories of interrupted bounces") struct InterruptedStoryTests {
    @Test("if the guard dies while the link is being lowered, the link is raised at once")
    func guardLostWhileLowering() {
        var world = VirtualWorld(.toggle, Sample.settings { $0.delay = .seconds(20) })
        world.start()
        while world.orders.lowered.isEmpty { world.run(for: .microseconds(500)) }
        #expect(world.toggler.state.name == "lowering")
        world.tell(.guardLost)
        world.run(for: .seconds(60))
        #expect(world.orders.raised.first.map { $0 < .seconds(1) } == true, "\(world.orders.raised)")
        #expect(world.reports.outcome == .healthy)
    }

    @Test("if the guard does not start in ten seconds, the bounce is given up, and the next one tries again")
    func guardHangs() {
        var world = VirtualWorld(.watch, Sample.settings { $0.fall = 1 })
        (world.hosts.gatewayAnswers, world.guardLatency) = (false, nil)
        world.start()
        world.run(until: "arming")
        world.run(for: .seconds(9))
        #expect(world.toggler.state.name == "arming")
        world.run(for: .seconds(2))
        #expect(world.reports.cycles.last?.action == .failed(.guarding, .guardLate))
        #expect(!world.isGuarded && world.orders.lowered.isEmpty)
        world.tell(.guardArmed)
        #expect(world.toggler.state.name == "waiting", "it comes too late")
        world.guardLatency = .milliseconds(1)
        world.run(for: .seconds(120))
        #expect(!world.orders.lowered.isEmpty)
    }

    @Test("a link that recovers while the guard is starting is not lowered")
    func guardLate() {
        var world = VirtualWorld(.watch, Sample.settings { $0.fall = 1 })
        (world.hosts.gatewayAnswers, world.guardLatency) = (false, .seconds(5))
        world.start()
        world.run(until: "arming")
        world.hosts.gatewayAnswers = true
        world.run(for: .seconds(10))
        #expect(world.orders.lowered.isEmpty && world.reports.cycles.last?.verdict.conclusion == .healthy)
        world.hosts.gatewayAnswers = false
        world.run(until: "arming")
        world.guardLatency = .milliseconds(1)
        world.run(for: .seconds(60))
        #expect(world.orders.lowered.count == 1, "the link is checked once more, and is still sick")
        // Nobody but the user decides about a requested bounce.
        var requested = VirtualWorld(.toggle)
        requested.guardLatency = .seconds(5)
        requested.start()
        requested.run(for: .seconds(60))
        #expect(requested.orders.lowered.count == 1 && requested.reports.outcome == .healthy)
    }

    @Test("an item that the kernel refuses is retried until it is accepted, or the settle time ends")
    func restoringAgain() {
        let words = "2001:db8::/32 via fd00::1 dev wlan0 proto static"
        let refused = Restoration(
            lost: [words],
            refused: [
                Restoration.Refused(description: words, failure: Failure(kind: .other, description: "no"))
            ])
        var world = VirtualWorld(.toggle, Sample.settings { $0.settle = .seconds(8) })
        world.configuration.restoration = refused
        world.start()
        world.run(for: .seconds(5))
        #expect(world.reports.outcome == nil, "it waits for the address to be usable")
        world.configuration.restoration = Restoration(lost: [words], restored: [words])
        world.run(for: .seconds(2))
        #expect(world.reports.outcome == .healthy)
        #expect(world.reports.cycles.last?.action.summary?.restoration == world.configuration.restoration)

        world = VirtualWorld(.toggle, Sample.settings { $0.settle = .seconds(8) })
        world.configuration.restoration = refused
        world.start()
        world.run(for: .seconds(20))
        #expect(world.reports.outcome == .sick)
        #expect(world.reports.cycles.last?.action.summary?.restoration == refused)
    }

    @Test("a route that its owner does not restore is awaited only for the owner's usual time")
    func ownersRoute() throws {
        var world = VirtualWorld(.toggle, Sample.settings { $0.settle = .seconds(60) })
        world.configuration.restoration = Restoration(lost: ["default proto dhcp"])
        world.start()
        while world.reports.outcome == nil { world.run(for: .milliseconds(100)) }
        let waited = world.now - world.begun - (try #require(world.orders.raised.first))
        #expect(waited > .seconds(9) && waited < .seconds(11), "\(waited)")
        #expect(world.reports.outcome == .healthy)
        let recovery = try #require(world.reports.cycles.last?.action.summary?.recovery)
        #expect(recovery < .seconds(1), "it was well before: \(recovery)")
    }

    @Test("a service told to end while it lowers a link ends, even if the lowering fails")
    func terminatedWhileLowering() {
        var world = VirtualWorld(.watch, Sample.settings { $0.isForced = true })
        world.loweringFailure = Failure(kind: .notPermitted, code: 1, description: "Operation not permitted")
        world.start()
        world.run(until: "lowering")
        world.tell(.terminationRequested)
        world.run(for: .seconds(1))
        #expect(world.reports.outcome == .interrupted)
    }

    @Test("a service told to end while it raises a link ends, even if the interface disappears")
    func terminatedAndRemoved() {
        var world = VirtualWorld(.watch, Sample.settings { $0.isForced = true })
        world.start()
        world.run(until: "keeping down")
        world.tell(.terminationRequested)
        #expect(world.toggler.state.name == "raising")
        world.tell(.linkRemoved)
        #expect(world.reports.outcome == .interrupted)
    }

    @Test("a kernel state that arrives while the link is being raised does not block the bounce")
    func lateKernelState() throws {
        var world = VirtualWorld(.toggle, Sample.settings { $0.settle = .seconds(30) })
        world.start()
        world.run(until: "keeping down")
        let end = try #require(world.queue.deadlines[.keepDown])
        world.run(for: end - world.now - .microseconds(100))
        world.tell(.monitorOverran)
        world.run(for: .microseconds(150))
        #expect(world.toggler.state.name == "raising" && world.toggler.state.bounce?.pendingQuery != nil)
        world.run(for: .seconds(10))
        #expect(world.reports.outcome == .healthy)
    }

    @Test("the death of the guard between two attempts to raise brings the next attempt forward")
    func guardLostBetweenRaises() {
        var world = VirtualWorld(.watch, Sample.settings { $0.isForced = true })
        world.raisingFailure = Failure(kind: .busy, code: 16, description: "Device or resource busy")
        world.start()
        world.run(for: .seconds(30))
        #expect(world.toggler.state.name == "raising" && !world.link.isUp)
        world.raisingFailure = nil
        world.tell(.guardLost)
        #expect(world.link.isUp)
    }

    @Test("the time between attempts to raise a link grows each time, up to 30 seconds")
    func attemptsToRaise() {
        var world = VirtualWorld(.watch, Sample.settings { $0.isForced = true })
        world.raisingFailure = Failure(kind: .busy, code: 16, description: "Device or resource busy")
        world.start()
        // Attempts after the delay of 3 s, and then 1, 2, 4, 8, 16, 30 and 30 s later.
        world.run(for: .seconds(65))
        world.raisingFailure = nil
        world.run(for: .seconds(45))
        #expect(world.orders.raised.map(\.wholeSeconds) == [94])
    }

    @Test("if the link cannot be raised, its guard stays ready")
    func leftToTheGuard() {
        var world = VirtualWorld(.toggle, Sample.settings { $0.settle = .seconds(5) })
        let failure = Failure(kind: .busy, code: 16, description: "Device or resource busy")
        world.raisingFailure = failure
        world.start()
        world.run(for: .seconds(60))
        #expect(world.reports.outcome == .failed(.raising, failure))
        #expect(world.isGuarded)
    }

    @Test("a link that a user sets down while the gateway is probed is not bounced")
    func setDownWhileAsking() {
        var world = VirtualWorld(
            .reconnect,
            Sample.settings {
                $0.fall = 1
                $0.timeout = .milliseconds(20)  // the verdict comes before the kernel state is too old
            })
        world.hosts.gatewayAnswers = false
        world.start()
        world.run(for: .milliseconds(30))
        world.link.isUp = false
        world.tell(.linkChanged(Sample.link(isUp: false)))
        world.run(for: .seconds(10))
        #expect(world.orders.lowered.isEmpty)
        #expect(world.reports.outcome == .refused(.administrativelyDown))
    }

    @Test(
        "a bounce that only the previous settings called for does not begin after a reload",
        arguments: ["checking", "preparing", "arming"])
    func reconfiguredBeforeLowering(step: String) {
        var world = VirtualWorld(.watch, Sample.settings { $0.isForced = true })
        world.start()
        world.run(until: step)
        world.tell(
            .reconfigured(
                Sample.settings {
                    $0.isForced = true
                    $0.isDryRun = true
                }))
        world.run(for: .seconds(1))
        #expect(world.orders.lowered.isEmpty)
        #expect(world.reports.cycles.last?.action == .skipped(.dryRun([.bounce])))
    }

    @Test("after a new settle time of 0, only the deadline of the next check is left")
    func settlingForbidden() {
        var world = VirtualWorld(.watch, Sample.settings { $0.isForced = true })
        world.start()
        world.run(until: "restoring")
        world.tell(
            .reconfigured(
                Sample.settings {
                    $0.isForced = true
                    $0.settle = .zero
                }))
        world.run(for: .milliseconds(10))
        #expect(world.toggler.state.name == "waiting")
        #expect(Array(world.queue.deadlines.keys) == [.nextCheck])
    }

    @Test("if a probe finds no interface, the kernel is queried once more")
    func goneBeforeProbe() {
        let gone = ProbeResult.unknown(Failure(kind: .noSuchDevice, description: "No such device"))
        var world = VirtualWorld(.reconnect)
        world.start()
        while world.orders.questions.isEmpty { world.run(for: .microseconds(500)) }
        let checks = world.orders.checks.count
        world.tell(.probeFinished(world.firstOutstanding, gone))
        #expect(world.orders.checks.count == checks + 1, "the kernel is asked")
        while world.orders.questions.count < 2 { world.run(for: .microseconds(500)) }
        world.tell(.probeFinished(world.firstOutstanding, gone))
        world.run(for: .seconds(10))
        #expect(world.reports.outcome != nil, "and not for ever")
    }

    @Test(
        "a program told to end leaves what the kernel still refuses to the guard, which outlives it",
        arguments: ["keeping down", "verifying", "pausing"], [false, true])
    func leftToGuard(state: String, isRefused: Bool) {
        let words = "198.51.100.0/24 via 10.77.0.1 dev wlan0 proto static"
        let failure = Failure(kind: .other, code: 101, description: "Network is unreachable")
        var world = VirtualWorld(.toggle, Sample.settings { $0.settle = .seconds(30) })
        world.hosts.gatewayAnswers = false
        if isRefused {
            world.configuration.restoration = Restoration(
                lost: [words], refused: [Restoration.Refused(description: words, failure: failure)])
        }
        world.start()
        world.run(until: state)
        world.tell(.terminationRequested)
        world.run(for: .seconds(2))
        #expect(world.reports.outcome == .interrupted && world.orders.raised.count == 1)
        #expect(world.isGuarded == isRefused)
    }

    @Test("an interface that disappears while routes are restored counts as absent, whatever the error")
    func goneBeforeRestoring() throws {
        let route = "default via 10.77.0.1"
        let failure = Failure(kind: .other, code: 101, description: "Nexthop has invalid gateway")
        var world = VirtualWorld(.toggle, Sample.settings { $0.settle = .zero })
        world.start()
        world.run(until: "restoring")
        world.tell(
            .restored(
                Restoration(
                    lost: [route], refused: [Restoration.Refused(description: route, failure: failure)])))
        let check = try #require(world.toggler.state.check, "\(world.toggler.state)")
        world.tell(
            .kernelStateFailed(
                check.number, Failure(kind: .noSuchDevice, code: 19, description: "No such device")))
        #expect(world.reports.outcome == .refused(.absent))
    }
}
