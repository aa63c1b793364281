import Testing

@testable import Model
@testable import Toggling

/// NetworkManager sets a station down for a moment to give it another hardware address.
@Suite("Stories of links set down for a moment") struct ShortDownStoryTests {
    private static func settled(_ change: (inout Settings) -> Void = { _ in }) -> VirtualWorld {
        var world = VirtualWorld(.watch, Sample.settings(change))
        world.start()
        world.run(for: .seconds(70))
        return world
    }

    private static func set(_ world: inout VirtualWorld, isUp: Bool) {
        world.link.isUp = isUp
        world.tell(.linkChanged(Sample.link(isUp: isUp)))
    }

    @Test("a link that is set down and raised within five seconds causes no report and no change")
    func lifted() {
        var world = Self.settled()
        let before = world.reports.cycles.count
        Self.set(&world, isUp: false)
        world.run(for: .milliseconds(4900))
        #expect(world.reports.cycles.count == before && world.toggler.health.condition == .healthy)
        Self.set(&world, isUp: true)
        world.run(for: .seconds(3600))
        #expect(world.reports.cycles.allSatisfy { $0.verdict.conclusion == .healthy && $0.action == .none })
        #expect(world.reports.cycles.count > before && world.orders.lowered.isEmpty)
    }

    @Test("a link that stays down is reported after five seconds, and not bounced")
    func stays() {
        var world = Self.settled()
        let before = world.reports.cycles.count
        Self.set(&world, isUp: false)
        world.run(for: .milliseconds(5010))
        #expect(world.reports.cycles.count == before + 1)
        #expect(world.reports.cycles.last?.action == .refused(.administrativelyDown))
        #expect(world.toggler.health.condition == .undetermined)
        world.run(for: .seconds(300))
        #expect(world.orders.lowered.isEmpty && world.orders.raised.isEmpty)
    }

    @Test("a link that is down when the service starts is reported only after five seconds")
    func fromTheStart() {
        for isLifted in [true, false] {
            var world = VirtualWorld(.watch)
            world.link.isUp = false
            world.start()
            world.run(for: .seconds(3))
            #expect(world.reports.cycles.isEmpty)
            if isLifted { Self.set(&world, isUp: true) }
            world.run(for: .seconds(3))
            #expect(world.reports.cycles.count == 1)
            #expect(world.reports.cycles.first?.verdict.conclusion == (isLifted ? .healthy : .sick))
        }
    }

    @Test("many downs of a few seconds in a row are not reported")
    func repeated() {
        var world = Self.settled()
        for _ in 0..<20 {
            Self.set(&world, isUp: false)
            world.run(for: .seconds(3))
            Self.set(&world, isUp: true)
            world.run(for: .seconds(3))
        }
        #expect(world.reports.cycles.allSatisfy { $0.action == .none })
    }

    @Test("on a link that is down, a user's request and a one-shot get their result at once")
    func asked() {
        var world = Self.settled()
        Self.set(&world, isUp: false)
        world.tell(.bounceRequested(delay: nil))
        world.run(for: .milliseconds(100))
        #expect(world.reports.cycles.last?.action == .refused(.administrativelyDown))
        for runMode in [RunMode.reconnect, .toggle, .probe] {
            var world = VirtualWorld(runMode)
            world.link.isUp = false
            world.start()
            world.run(for: .milliseconds(100))
            #expect(world.reports.outcome != nil)
        }
    }

    @Test("run --force refuses a tick at once while the link is down, and bounces again after the raise")
    func plainTimer() {
        var world = Self.settled { $0.isForced = true }
        let cycles = world.reports.cycles.count
        world.run(for: .seconds(49))
        Self.set(&world, isUp: false)
        world.run(for: .seconds(2))
        #expect(world.reports.cycles.count == cycles + 1)
        #expect(world.reports.cycles.last?.action == .refused(.administrativelyDown))
        Self.set(&world, isUp: true)
        let lowered = world.orders.lowered.count
        world.run(for: .seconds(62))
        #expect(world.orders.lowered.count == lowered + 1)
    }

    private static let words = "198.51.100.0/24 via 10.77.0.1 dev wlan0 proto static"
    private static let route = Snapshot(items: [
        Snapshot.Item(kind: .route, message: [1], description: words, isAdministrators: true)
    ])

    /// Sets the link down for less than a second in this step of a bounce.
    private static func setDownBriefly(_ world: inout VirtualWorld, in step: String) {
        world.run(until: step)
        set(&world, isUp: false)
        world.run(for: .milliseconds(900))
        #expect(world.toggler.state.name == "awaiting link")
        set(&world, isUp: true)
        world.run(for: .seconds(20))
    }

    @Test(
        "a bounce goes on if the link is set down for a moment before anything is restored",
        arguments: [Model.Method.bounce, .rfkill, .reset])
    func inBounce(method: Model.Method) throws {
        var world = VirtualWorld(.toggle, Sample.settings { $0.methods = [method] })
        world.configuration.snapshot = Self.route
        world.configuration.restoration = Restoration(lost: [Self.words], restored: [Self.words])
        world.start()
        Self.setDownBriefly(&world, in: "awaiting link")
        #expect(world.orders.putBack.count == 1 && !world.reports.steps.contains(.loweredByOther))
        let summary = try #require(world.reports.cycles.last?.action.summary)
        #expect(summary.restoration.restored == [Self.words])
        #expect(world.reports.outcome == .healthy)
    }

    @Test("what was restored before the link was set down for a moment is restored again")
    func restoredBefore() {
        var world = VirtualWorld(.toggle)
        world.configuration.snapshot = Self.route
        world.configuration.restoration = Restoration(lost: [Self.words], restored: [Self.words])
        world.hosts.gatewayAnswers = false
        world.start()
        world.run(until: "pausing")
        world.hosts.gatewayAnswers = true
        Self.setDownBriefly(&world, in: "pausing")
        #expect(world.orders.putBack.count == 2 && !world.reports.steps.contains(.loweredByOther))
        #expect(world.reports.outcome == .healthy)
    }

    @Test("a raise after a block restores all items if the link is set down for a moment after the raise")
    func afterBlock() {
        var world = VirtualWorld(.watch)
        world.configuration.snapshot = Self.route
        world.configuration.restoration = Restoration(lost: [Self.words], restored: [Self.words])
        world.start()
        world.run(for: .seconds(70))
        world.link.radio = .soft
        world.tell(.radioChanged(.soft))
        Self.set(&world, isUp: false)
        world.run(for: .seconds(2))
        world.link.radio = .none
        world.tell(.radioChanged(.none))
        #expect(world.toggler.pendingRestore?.snapshot.items == Self.route.items)
        Self.setDownBriefly(&world, in: "awaiting link")
        #expect(world.orders.putBack.count == 1 && world.toggler.pendingRestore == nil)
        let summary = world.reports.cycles.compactMap(\.action.summary).first
        #expect(summary?.restoration.restored == [Self.words])
    }

    @Test("an rfkill block is reported at once")
    func blocked() {
        var world = Self.settled()
        world.link.radio = .soft
        world.tell(.radioChanged(.soft))
        Self.set(&world, isUp: false)
        world.run(for: .seconds(2))
        #expect(world.reports.cycles.last?.action == .refused(.radioBlocked(.soft)))
    }
}
