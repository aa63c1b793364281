import Testing

@testable import Model
@testable import Toggling

/// The traffic that passes through a port decides how a station that is a port of a bridge or bond is judged.
@Suite("Stories of ports of bridges and bonds") struct PortStoryTests {
    private static let active = Sample.port(.bond, .masters)
    private static let backup = Sample.port(.bond, .none)
    private static let hour: Duration = .seconds(3600)

    private static func world(
        _ port: Port?, _ runMode: RunMode = .watch, _ change: (inout Settings) -> Void = { _ in }
    ) -> VirtualWorld {
        var world = VirtualWorld(runMode, Sample.settings(change))
        world.link.port = port
        return world
    }

    @Test(
        "10,000 checks of a healthy port cause no bounce",
        arguments: [active, Sample.bridgePort, backup, Sample.port(.vrf, .own)])
    func healthy(port: Port) {
        var world = Self.world(port)
        world.start()
        world.run(for: .seconds(60 * 10_000))
        #expect(world.reports.cycles.count >= 10_000 && world.orders.lowered.isEmpty)
        #expect(world.reports.cycles.allSatisfy { $0.verdict.conclusion == .healthy && $0.action == .none })
        #expect(world.reports.cycles.allSatisfy { $0.verdict.evidence.contains(.port(port)) })
        #expect(world.orders.questions.isEmpty == (port == Self.backup))
        #expect(world.orders.devices.allSatisfy { $0 == port.upper })
    }

    @Test("a silent gateway of the master is a fault of the port that forwards the traffic")
    func masterIsMute() throws {
        var world = Self.world(Sample.bridgePort)
        world.onRaise = { $0.hosts.gatewayAnswers = true }
        world.start()
        world.run(for: .seconds(70))
        world.hosts.gatewayAnswers = false
        world.run(for: .seconds(120))
        #expect(
            world.orders.lowered.count == 1 && world.reports.steps.contains(.interrupting(Sample.bridgePort)))
        let cycle = try #require(world.reports.cycles.first { $0.action.summary != nil })
        #expect(cycle.verdict.conclusion == .healthy)
    }

    @Test(
        "a port without traffic is judged by its association alone, whatever happens to the master",
        arguments: [
            backup, Sample.port(.bridge, .none), Sample.port(.bridge, .pending), Sample.port(.team, .unknown),
            Sample.port(.openvswitch, .unknown),
        ])
    func backupIsSpared(port: Port) {
        var world = Self.world(port) { $0.probes = [ProbeSpec(.auto), ProbeSpec(.icmp(.address(.v4(9))))] }
        (world.hosts.gatewayAnswers, world.hosts.targetAnswers, world.link.hasAddress) = (false, false, false)
        world.start()
        world.run(for: Self.hour)
        #expect(world.orders.lowered.isEmpty && world.orders.questions.isEmpty)
        #expect(world.reports.cycles.allSatisfy { $0.verdict.conclusion == .healthy })
        world.link.isInRange = false
        world.run(for: .seconds(180))
        #expect(world.orders.lowered.count >= 1, "its association is its own")
    }

    @Test("a VRF member needs its own address")
    func withoutAddress() {
        var world = Self.world(Sample.port(.vrf, .own))
        world.link.hasAddress = false
        world.start()
        world.run(for: .seconds(10))
        #expect(world.reports.cycles.last?.verdict.conclusion == .sick)
        #expect(world.reports.cycles.last?.verdict.layer == .address)
    }

    @Test(
        "a link that is enslaved, moved or released is checked at once, with a new streak",
        arguments: [
            (nil, Sample.bridgePort), (Sample.bridgePort, nil),
            (Sample.bridgePort, Port(master: Sample.index, kind: .bond, traffic: .none)),
        ] as [(Port?, Port?)])
    func followed(before: Port?, after: Port?) {
        var world = Self.world(before) { $0.interval = .seconds(600) }
        world.hosts.gatewayAnswers = false
        world.start()
        world.run(until: "checking")
        world.run(until: "waiting")
        world.run(until: "checking")
        world.run(until: "waiting")
        #expect(world.reports.cycles.map(\.change.streak) == [1, 2])
        world.link.port = after
        world.tell(.linkChanged(Sample.link(port: after)))
        let checks = world.orders.checks.count
        world.run(for: .seconds(2))
        #expect(world.orders.checks.count == checks + 1)
        world.run(until: "waiting")
        #expect(world.reports.cycles.last?.change.streak == 1)
        world.run(for: .seconds(8))
        #expect(world.orders.lowered.isEmpty)
    }

    @Test("a link that is enslaved during a check is checked again, as a port")
    func enslavedDuringCheck() {
        var world = Self.world(nil)
        world.hosts.gatewayAnswers = false
        world.start()
        world.run(for: .milliseconds(500))
        #expect(world.toggler.state.name == "checking" && world.orders.devices == [nil])
        world.link.port = Sample.bridgePort
        world.hosts.gatewayAnswers = true
        world.tell(.linkChanged(Sample.link(port: Sample.bridgePort)))
        world.run(for: .milliseconds(500))
        #expect(world.orders.devices == [nil, Sample.bridge])
        #expect(world.reports.cycles.map(\.verdict.conclusion) == [.healthy])
    }

    @Test("a bounce lasts until the link is a port again and its bridge has admitted it")
    func portAgain() throws {
        for meanwhile in [nil, Sample.port(.bridge, .pending)] as [Port?] {
            var world = Self.world(Sample.bridgePort, .toggle) { $0.settle = .seconds(60) }
            world.onRaise = { $0.link.port = meanwhile }
            world.start()
            world.run(for: .seconds(20))
            #expect(world.toggler.state.name == "awaiting link" && world.orders.putBack.isEmpty)
            world.link.port = Sample.bridgePort
            world.run(for: .seconds(3))
            #expect(world.reports.outcome == .healthy && world.orders.putBack.count == 1)
        }
    }

    @Test("a bounce does not wait if the bond has chosen another port in the meantime")
    func failedOver() {
        var world = Self.world(Self.active, .toggle)
        world.onRaise = { $0.link.port = Self.backup }
        world.start()
        world.run(for: .seconds(10))
        #expect(world.reports.outcome == .healthy)
    }
}
