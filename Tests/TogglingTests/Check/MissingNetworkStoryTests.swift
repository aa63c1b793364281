import Testing

@testable import Model
@testable import Toggling

/// The access point is gone: the scan results decide whether a bounce can help.
@Suite("Stories of networks missing from the scan") struct MissingNetworkStoryTests {
    /// A healthy link whose access point disappears; scans then find these networks.
    private func lost(_ heard: [HeardNetwork], _ change: (inout Settings) -> Void = { _ in }) -> VirtualWorld
    {
        var world = VirtualWorld(.watch, Sample.settings(change))
        world.start()
        world.run(for: .seconds(70))
        #expect(world.toggler.health.condition == .healthy)
        world.link.isInRange = false
        world.link.heard = heard
        world.tell(.disconnected(nil))
        return world
    }

    private func isMissing(_ world: VirtualWorld) -> Bool {
        guard case .ssidNotFound(_, 1, _)? = world.reports.cycles.last?.verdict.reason else { return false }
        return true
    }

    @Test("if only other networks are heard, the link is not bounced, and the report says so")
    func notFound() {
        var world = lost([Sample.stranger])
        world.run(for: .seconds(3600))
        #expect(world.orders.lowered.isEmpty)
        #expect(isMissing(world))
        #expect(world.reports.cycles.last?.verdict.layer == .association)
        #expect(world.reports.cycles.last?.action == .skipped(.cannotHelp(.association)))
    }

    @Test("if the link's own SSID, a hidden network or no network is heard, the link is bounced")
    func undecided() {
        let nameless = HeardNetwork(ssid: nil, ago: .seconds(1))
        let zeros = HeardNetwork(ssid: SSID([0, 0, 0]), ago: .seconds(1))
        for heard in [
            [], [Sample.stranger, nameless], [Sample.stranger, zeros], [Sample.stranger, Sample.own],
        ] {
            var world = lost(heard)
            world.run(for: .seconds(60))
            #expect(world.orders.lowered.count == 1, "\(heard)")
        }
    }

    @Test("networks heard before the loss, or too soon after it for a whole scan, prove nothing")
    func tooEarly() {
        var world = lost([], { $0.fall = 1 })
        world.link.heard = [HeardNetwork(ssid: SSID("elsewhere".utf8), ago: .seconds(20))]
        world.run(for: .seconds(2))
        #expect(world.orders.lowered.count == 1)

        // A scan finds other networks 4 s after the loss. The check at 7 s finds this result 3 s old.
        world = lost([HeardNetwork(ssid: SSID("elsewhere".utf8), ago: .seconds(3))]) {
            $0.fall = 2
            $0.recheck = .seconds(7)
        }
        world.run(for: .seconds(10))
        #expect(world.orders.lowered.count == 1)
    }

    @Test("a scan result from before the loss does not show that the network is there")
    func staleOwn() {
        let own = HeardNetwork(ssid: Sample.association.ssid, ago: .seconds(25))
        var world = lost([Sample.stranger, own])
        world.run(for: .seconds(20))
        #expect(world.orders.lowered.isEmpty)
        #expect(isMissing(world))
    }

    @Test("once the network is heard again, the owner has five seconds to join before the link is bounced")
    func back() throws {
        var world = lost([Sample.stranger])
        world.run(for: .seconds(600))
        #expect(world.orders.lowered.isEmpty)
        world.link.heard = [Sample.stranger, Sample.own]
        world.onRaise = { $0.link.isInRange = true }
        let scanned = world.now - world.begun
        world.tell(.scanFinished)
        world.run(for: .seconds(10))
        let bounce = try #require(world.orders.lowered.first)
        #expect((5000...6500).contains((bounce - scanned).milliseconds), "\(bounce - scanned)")
        #expect(world.reports.cycles.contains { if case .held(.early) = $0.action { true } else { false } })
        world.run(for: .seconds(10))
        #expect(world.toggler.health.condition == .healthy)
    }

    @Test("if the owner joins the network that is heard again, the link is not bounced")
    func joined() {
        var world = lost([Sample.stranger])
        world.run(for: .seconds(600))
        world.link.heard = [Sample.stranger, Sample.own]
        world.tell(.scanFinished)
        world.run(for: .seconds(1))
        world.link.isInRange = true
        world.tell(.addressingChanged)
        world.run(for: .seconds(300))
        #expect(world.orders.lowered.isEmpty)
        #expect(world.toggler.health.condition == .healthy)
    }

    @Test("without further scans a network counts as missing for two and a half minutes")
    func forgotten() throws {
        var world = lost([Sample.stranger])
        world.run(for: .seconds(20))
        world.link.heard = []
        world.run(for: .seconds(140))
        #expect(world.orders.lowered.isEmpty)
        world.run(for: .seconds(70))
        #expect(world.orders.lowered.count == 1)
    }

    @Test("with an unknown earlier network, the networks heard prevent no bounce", arguments: [true, false])
    func unknown(_ hadOne: Bool) {
        var world = VirtualWorld(.watch)
        if hadOne { world.link.ssid = nil } else { world.link.isInRange = false }
        world.link.heard = [Sample.stranger]
        world.start()
        world.run(for: .seconds(70))
        world.link.isInRange = false
        world.run(for: .seconds(120))
        #expect(world.orders.lowered.count >= 1)
    }

    @Test("after a radio block the next scan is awaited before the network counts as missing")
    func deaf() {
        var world = lost([Sample.stranger])
        world.run(for: .seconds(60))
        #expect(isMissing(world))
        world.link.radio = .soft
        world.run(for: .seconds(300))
        world.link.radio = .none
        world.tell(.radioChanged(.none))
        world.run(for: .seconds(2))
        #expect(world.reports.cycles.last?.verdict.reason == .notAssociated)
        world.run(for: .seconds(10))
        #expect(isMissing(world))
    }

    @Test("the end of a scan causes a check only while the network is missing")
    func pace() {
        var world = lost([])
        world.run(for: .milliseconds(100))
        let checks = world.orders.checks.count
        for _ in 0..<3 {
            world.tell(.scanFinished)
            world.run(for: .milliseconds(1200))
        }
        #expect(world.orders.checks.count == checks)
    }

    @Test("the plain timer (--force) bounces at each tick although the network is not found")
    func forced() {
        var world = lost([Sample.stranger], { $0.isForced = true })
        world.run(for: .seconds(600))
        #expect(world.orders.lowered.count >= 9)
    }
}
