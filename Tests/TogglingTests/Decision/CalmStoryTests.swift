import Testing

@testable import Model
@testable import Toggling

/// A bounce is postponed for the sake of users, by quiet hours and logins over the link, and for a station
/// that has just joined.
@Suite("Stories of quiet hours, logins and joining") struct CalmStoryTests {
    @Test("a station that has just joined gets time for keys and an address before a bounce")
    func joining() {
        var world = VirtualWorld(.watch)
        world.link.hasAddress = false
        world.link.connected = .seconds(2)
        world.start()
        world.run(for: .seconds(300))
        #expect(world.orders.lowered.isEmpty)
        guard case .held(.early)? = world.reports.cycles.last?.action else {
            Issue.record("\(String(describing: world.reports.cycles.last))")
            return
        }
        world.link.connected = .seconds(10)
        world.run(for: .seconds(10))
        #expect(world.orders.lowered.count == 1)
    }

    @Test("in quiet hours a sick link is checked but not bounced, until they end", arguments: [false, true])
    func quiet(isForced: Bool) throws {
        var world = VirtualWorld(.watch, Sample.settings { $0.isForced = isForced })
        world.hosts.gatewayAnswers = false
        let end = world.now + .seconds(3590)
        world.conditions.quietUntil = end
        world.start()
        world.run(for: .seconds(3580))
        #expect(world.orders.lowered.isEmpty)
        #expect(world.orders.checks.count > 50)
        #expect(world.reports.cycles.last?.action == .held(.quiet(until: end)))
        #expect(world.reports.cycles.last?.next == NextCheck(at: end, why: .quiet))
        world.run(for: .seconds(20))
        #expect(world.orders.lowered.count == 1)
    }

    @Test("in quiet hours reconnect does not bounce, but a toggle does")
    func oneShots() {
        for (runMode, bounces) in [(RunMode.reconnect, 0), (.toggle, 1)] {
            var world = VirtualWorld(runMode)
            world.hosts.gatewayAnswers = false
            world.conditions.quietUntil = world.now + .seconds(3600)
            world.start()
            world.run(for: .seconds(120))
            #expect(world.orders.lowered.count == bounces, "\(runMode)")
            #expect(world.reports.outcome == .sick, "\(runMode)")
        }
    }

    @Test("a link with a login over it is checked but not bounced", arguments: [false, true])
    func inUse(isForced: Bool) throws {
        var world = VirtualWorld(.watch, Sample.settings { $0.isForced = isForced })
        world.hosts.gatewayAnswers = false
        world.conditions.logins = [Sample.login, Sample.login]
        world.start()
        world.run(for: .seconds(3600))
        #expect(world.orders.lowered.isEmpty)
        #expect(world.orders.checks.count > 60)
        #expect(world.reports.cycles.last?.action == .held(.inUse(from: Sample.login.peer, others: 0)))
        world.conditions.logins = []
        world.run(for: .seconds(59))
        #expect(world.orders.lowered.count == 1)
    }

    @Test("logins are queried when a bounce is about to begin, and not before")
    func askedLate() {
        var world = VirtualWorld(.watch)
        world.start()
        world.run(for: .seconds(3600))
        #expect(world.orders.questionsForLogins == 0)
        world.hosts.gatewayAnswers = false
        world.run(for: .seconds(600))
        #expect(world.orders.lowered.count >= 1)
        #expect(world.orders.questionsForLogins == world.orders.lowered.count, "backing off nobody asks")
    }

    @Test("with --even-if-in-use, and for a toggle, a login prevents nothing")
    func evenIfInUse() {
        for runMode in [RunMode.reconnect, .toggle] {
            var world = VirtualWorld(runMode, Sample.settings { $0.bouncesInUse = runMode == .reconnect })
            world.hosts.gatewayAnswers = false
            world.conditions.logins = [Sample.login]
            world.start()
            world.run(for: .seconds(120))
            #expect(world.orders.lowered.count == 1, "\(runMode)")
        }
    }

    @Test("a login prevents the bounce of reconnect, which reports the login's address, also in a dry run")
    func reconnect() {
        for isDryRun in [false, true] {
            var world = VirtualWorld(.reconnect, Sample.settings { $0.isDryRun = isDryRun })
            world.hosts.gatewayAnswers = false
            world.conditions.logins = [
                Sample.login, Login(peer: .v4(1), heard: .seconds(1), isUnanswered: false),
            ]
            world.start()
            world.run(for: .seconds(120))
            #expect(world.orders.lowered.isEmpty)
            #expect(world.reports.cycles.last?.action == .held(.inUse(from: .v4(1), others: 1)))
            #expect(world.reports.outcome == .sick)
        }
    }

    @Test(
        "a login's connection counts for one minute if unacknowledged, and for ten minutes if idle",
        arguments: [
            (Duration.seconds(60), true, true), (.milliseconds(60_001), true, false),
            (.seconds(600), false, true), (.milliseconds(600_001), false, false),
        ])
    func liveliness(heard: Duration, isUnanswered: Bool, isInUse: Bool) {
        let login = Login(peer: .v4(1), heard: heard, isUnanswered: isUnanswered)
        #expect(login.isInUse == isInUse)
        #expect((Sample.kernelState(logins: [login]).use != nil) == isInUse)
    }

    @Test("in quiet hours a healthy link is reported as healthy, and no bounce as postponed")
    func healthy() {
        var world = VirtualWorld(.watch)
        world.conditions.quietUntil = world.now + .seconds(3600)
        world.start()
        world.run(for: .seconds(600))
        #expect(world.reports.cycles.allSatisfy { $0.action == .none })
    }
}
