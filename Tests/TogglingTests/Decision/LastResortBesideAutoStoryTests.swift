import Testing

@testable import Model
@testable import Toggling

@Suite("Stories of a reboot that is named beside auto") struct LastResortBesideAutoStoryTests {
    /// A world with `auto` and the methods named beside it, whose link loses its association for good.
    private static func automatic(
        _ condition: OwnerCondition?, beside methods: [Model.Method] = [.reboot],
        _ change: (inout Settings) -> Void = { _ in }
    ) -> VirtualWorld {
        var world = LastResortStoryTests.world(methods: []) {
            $0.methodsBesideAuto = methods
            change(&$0)
        }
        (world.hosts.gatewayAnswers, world.link.isInRange, world.conditions.owner) = (true, false, condition)
        return world
    }

    @Test("beside `auto`, the bounce, named methods, and any that the evidence calls for precede the reboot")
    func besideAuto() {
        var silent = LastResortStoryTests.world(methods: []) { $0.methodsBesideAuto = [.reboot] }
        silent.run(for: .seconds(1050))
        #expect(Set(silent.orders.tried) == [.bounce, .reboot] && silent.orders.reboots == 1)
        var hung = Self.automatic(OwnerCondition(.networkManager, .hung), beside: [.reset, .reboot])
        hung.run(for: .seconds(1050))
        #expect(
            Set(hung.orders.tried) == [.restartOwner, .bounce, .reset, .reboot]
                && hung.orders.tried.last == .reboot)
        var gaveUp = Self.automatic(OwnerCondition(.networkManager, .gaveUp))
        gaveUp.run(for: .seconds(1050))
        #expect(
            Set(gaveUp.orders.tried) == [.owner, .bounce, .reboot] && gaveUp.orders.tried.last == .reboot)
        var told = Self.automatic(OwnerCondition(.networkManager, .toldToDisconnect))
        told.run(for: .seconds(1500))
        #expect(told.orders.tried.isEmpty)
    }

    @Test("a method that was unavailable beside `auto` does not prevent the reboot")
    func unavailable() {
        var world = Self.automatic(OwnerCondition(.networkManager, .hung), beside: [.reset, .reboot])
        for method in [Model.Method.restartOwner, .reset] {
            world.refused[method] = Failure(kind: .unavailable, description: "not here")
        }
        world.run(for: .seconds(1050))
        #expect(world.orders.reboots == 1)
    }

    @Test("a method that failed once is tried again, and a hook that removes the interface is not")
    func triedAgain() {
        var world = Self.automatic(OwnerCondition(.networkManager, .hung))
        world.refused[.restartOwner] = Failure(kind: .busy, description: "another job")
        world.run(for: .seconds(500))
        #expect(world.orders.tried.count { $0 == .restartOwner } > 1 && world.orders.reboots == 0)

        var hook = Self.automatic(nil, beside: [.hook, .reboot])
        hook.onMethod = { world, method in if method == .hook { world.disappear(nil) } }
        hook.run(for: .seconds(300))
        #expect(hook.orders.tried.count { $0 == .hook } == 1)
        hook.appear()
        hook.run(for: .seconds(1100))
        #expect(hook.orders.tried.count { $0 == .hook } == 1 && hook.orders.reboots == 1)
    }

    @Test("a method passed over in an earlier outage does not count as tried in this one")
    func earlierOutage() {
        var world = LastResortStoryTests.world(methods: []) { $0.methodsBesideAuto = [.reboot] }
        world.refused[.bounce] = Failure(kind: .unavailable, description: "not now")
        world.run(for: .seconds(200))
        (world.hosts.gatewayAnswers, world.refused) = (true, [:])
        world.run(for: .seconds(1200))
        world.conditions.administrativeHold = .untilReleased
        world.hosts.gatewayAnswers = false
        world.run(for: .seconds(1500))
        let tried = world.orders.tried.count
        world.conditions.administrativeHold = nil
        world.run(for: .seconds(65))
        #expect(world.orders.tried.dropFirst(tried).first == .bounce)
    }

    @Test("a method that new evidence calls for precedes the reboot, even if it must wait for the back-off")
    func evidenceBeforeReboot() {
        var world = Self.automatic(nil)
        world.run(for: .seconds(850))
        #expect(Set(world.orders.tried) == [.bounce])
        world.conditions.owner = OwnerCondition(.networkManager, .hung)
        while !world.orders.tried.contains(.restartOwner), world.now < .seconds(5000) {
            world.run(for: .seconds(1))
        }
        #expect(world.orders.reboots == 0 && world.orders.tried.contains(.restartOwner))
        world.run(for: .seconds(300))
        #expect(world.orders.reboots == 1)
    }

    @Test("a dry run with `auto,reboot` says that it would reboot")
    func dryRunBesideAuto() {
        var world = Self.automatic(nil) { $0.isDryRun = true }
        world.run(for: .seconds(1100))
        #expect(
            world.orders.tried.isEmpty && world.reports.cycles.last?.action == .skipped(.dryRun([.reboot])))
    }
}
