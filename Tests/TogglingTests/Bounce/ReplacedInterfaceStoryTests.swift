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
