import Testing

@testable import Model
@testable import Toggling

@Suite("Methods that may replace the interface")
struct ReplacedInterfaceStoryTests {
    private static let replacing = Model.Method.allCases.filter(\.mayReplaceInterface)

    private static func world(_ method: Model.Method) -> VirtualWorld {
        var settings = Settings()
        settings.methods = [method]
        settings.settle = .seconds(20)
        return VirtualWorld(.toggle, settings)
    }

    @Test(
        "a run of toggle waits for an interface that is removed in the method or after it",
        arguments: replacing, ["performing", "awaiting link", "verifying"])
    func returns(method: Model.Method, state: String) throws {
        var world = Self.world(method)
        world.start()
        world.run(until: state)
        world.tell(.linkRemoved)
        world.run(for: .seconds(8))
        #expect(world.reports.outcome == nil)
        world.tell(.linkAppeared(Sample.link()))
        world.run(for: .seconds(10))
        #expect(world.reports.outcome == .healthy)
        let summary = try #require(world.reports.cycles.compactMap(\.action.summary).first)
        #expect(summary.methods == [method] && summary.recovery != nil)
    }

    private static let route = "198.51.100.0/24 via 10.77.0.1 dev wlan0 proto static"

    /// A service that has found its link sick, and now tries this method.
    private static func service(_ method: Model.Method, until state: String) -> VirtualWorld {
        var world = VirtualWorld(
            .watch,
            Sample.settings {
                $0.methods = [method]
                $0.fall = 1
            })
        world.configuration.snapshot = Snapshot(
            items: [Snapshot.Item(kind: .route, message: [1], description: route, isAdministrators: true)])
        world.hosts.gatewayAnswers = false
        world.start()
        world.run(until: state)
        return world
    }

    @Test("the service restores what a restart of the owner has removed with the interface")
    func restoredByService() {
        var world = Self.service(.restartOwner, until: "performing")
        world.tell(.linkRemoved)
        world.run(for: .seconds(20))
        #expect(world.toggler.state.name == "absent" && world.orders.putBack.isEmpty)
        world.configuration.restoration = Restoration(lost: [Self.route], restored: [Self.route])
        world.hosts.gatewayAnswers = true
        world.tell(.linkAppeared(Sample.link()))
        world.run(for: .seconds(30))
        #expect(world.orders.putBack.count == 1)
        #expect(world.reports.steps.contains(.restoredLate(restored: [Self.route], givenUp: [])))
    }

    @Test(
        "the service restores what a bounce has cost if the driver starts the device anew meanwhile",
        arguments: ["lowering", "keeping down", "raising", "awaiting link"])
    func crashedInBounce(state: String) {
        var world = Self.service(.bounce, until: state)
        world.tell(.linkRemoved)
        world.run(for: .seconds(5))
        #expect(world.toggler.state.name == "absent" && world.orders.putBack.isEmpty)
        world.configuration.restoration = Restoration(lost: [Self.route], restored: [Self.route])
        world.hosts.gatewayAnswers = true
        world.appear()
        world.run(for: .seconds(30))
        #expect(world.orders.putBack.count == 1)
        #expect(world.reports.steps.contains(.restoredLate(restored: [Self.route], givenUp: [])))
    }

    @Test(
        "nothing is restored if a user may have unplugged the device: it was away for too long to have crashed",
        arguments: [(Model.Method.bounce, "raising", 61), (.restartOwner, "performing", 3601)])
    func unpluggedInBounce(method: Model.Method, state: String, away: Int) {
        var world = Self.service(method, until: state)
        world.tell(.linkRemoved)
        world.run(for: .seconds(away))
        world.hosts.gatewayAnswers = true
        world.appear()
        world.run(for: .seconds(600))
        #expect(world.toggler.health.condition == .healthy)
        #expect(world.orders.putBack.isEmpty)
    }

    @Test("an interface that came back while its reset still waited for it is found, also with named methods")
    func backInAnotherPlace() {
        var world = Self.service(.reset, until: "lowering")
        world.raisingFailure = Failure(kind: .noSuchDevice, description: "no such device")
        world.run(until: "raising")
        world.tell(.linkRemoved)
        world.appear()
        world.hosts.gatewayAnswers = true
        world.run(for: .seconds(30))
        #expect(world.reports.steps.contains { if case .appeared = $0 { true } else { false } })
        #expect(world.toggler.health.condition == .healthy)
    }

    @Test("an interface that a user has unplugged gets nothing back")
    func unplugged() {
        var world = Self.service(.bounce, until: "waiting")
        world.hosts.gatewayAnswers = true
        world.run(for: .seconds(600))
        world.tell(.linkRemoved)
        world.run(for: .seconds(20))
        world.tell(.linkAppeared(Sample.link()))
        let before = world.orders.putBack.count
        world.run(for: .seconds(120))
        #expect(world.orders.putBack.count == before)
    }

    @Test("if it does not return in the settle time, there is no such interface", arguments: replacing)
    func stays(method: Model.Method) {
        var world = Self.world(method)
        world.start()
        world.run(until: "performing")
        world.tell(.linkRemoved)
        world.run(for: .seconds(19))
        #expect(world.reports.outcome == nil)
        world.run(for: .seconds(3))
        #expect(world.reports.outcome == .refused(.absent))
    }
}
