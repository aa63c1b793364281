import Testing

@testable import Model
@testable import Toggling

/// NetworkManager sets a station down for a moment to give it another hardware address.
@Suite("Stories of short downs") struct ShortDownStoryTests {
    private static func settled(_ change: (inout Settings) -> Void = { _ in }) -> VirtualWorld {
        var world = VirtualWorld(.watch, Sample.settings(change))
        world.start()
        world.run(for: .seconds(70))
        return world
    }

    private static func set(_ world: inout VirtualWorld, isUp: Bool) {
        world.isUp = isUp
        world.tell(.linkChanged(Sample.link(isUp: isUp)))
    }

    @Test("a down that is lifted within seconds is not told, and changes nothing")
    func lifted() {
        var world = Self.settled()
        let before = world.cycles.count
        Self.set(&world, isUp: false)
        world.run(for: .milliseconds(4900))
        #expect(world.cycles.count == before && world.toggler.health.condition == .healthy)
        Self.set(&world, isUp: true)
        world.run(for: .seconds(3600))
        #expect(world.cycles.allSatisfy { $0.verdict.conclusion == .healthy && $0.action == .none })
        #expect(world.cycles.count > before && world.lowered.isEmpty)
    }

    @Test("one that stays is told after five seconds, and is the reason not to bounce")
    func stays() {
        var world = Self.settled()
        let before = world.cycles.count
        Self.set(&world, isUp: false)
        world.run(for: .milliseconds(5010))
        #expect(world.cycles.count == before + 1)
        #expect(world.cycles.last?.action == .refused(.administrativelyDown))
        #expect(world.toggler.health.condition == .undetermined)
        world.run(for: .seconds(300))
        #expect(world.lowered.isEmpty && world.raised.isEmpty)
    }

    @Test("so is one that was there when the service began, as before an owner has raised the link")
    func fromTheStart() {
        for isLifted in [true, false] {
            var world = VirtualWorld(.watch)
            world.isUp = false
            world.start()
            world.run(for: .seconds(3))
            #expect(world.cycles.isEmpty)
            if isLifted { Self.set(&world, isUp: true) }
            world.run(for: .seconds(3))
            #expect(world.cycles.count == 1)
            #expect(world.cycles.first?.verdict.conclusion == (isLifted ? .healthy : .sick))
        }
    }

    @Test("short downs one after the other are as many short ones")
    func repeated() {
        var world = Self.settled()
        for _ in 0..<20 {
            Self.set(&world, isUp: false)
            world.run(for: .seconds(3))
            Self.set(&world, isUp: true)
            world.run(for: .seconds(3))
        }
        #expect(world.cycles.allSatisfy { $0.action == .none })
    }

    @Test("a user who asks for a bounce is answered at once, and so is a one-shot")
    func asked() {
        var world = Self.settled()
        Self.set(&world, isUp: false)
        world.tell(.bounceRequested(delay: nil))
        world.run(for: .milliseconds(100))
        #expect(world.cycles.last?.action == .refused(.administrativelyDown))
        for runMode in [RunMode.reconnect, .toggle, .probe] {
            var world = VirtualWorld(runMode)
            world.isUp = false
            world.start()
            world.run(for: .milliseconds(100))
            #expect(world.outcome != nil)
        }
    }

    @Test("a tick of the plain timer that falls into a short down is told, and the next one bounces")
    func plainTimer() {
        var world = Self.settled { $0.isForced = true }
        let cycles = world.cycles.count
        world.run(for: .seconds(49))
        Self.set(&world, isUp: false)
        world.run(for: .seconds(2))
        #expect(world.cycles.count == cycles + 1)
        #expect(world.cycles.last?.action == .refused(.administrativelyDown))
        Self.set(&world, isUp: true)
        let lowered = world.lowered.count
        world.run(for: .seconds(62))
        #expect(world.lowered.count == lowered + 1)
    }

    @Test("a block is told at once")
    func blocked() {
        var world = Self.settled()
        world.radio = .soft
        world.tell(.radioChanged(.soft))
        Self.set(&world, isUp: false)
        world.run(for: .seconds(2))
        #expect(world.cycles.last?.action == .refused(.radioBlocked(.soft)))
    }
}
