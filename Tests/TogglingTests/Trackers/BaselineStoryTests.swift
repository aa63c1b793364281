import Testing

@testable import Model
@testable import Toggling

/// An rfkill block by another program takes a link down, and the kernel drops the link's routes. The program
/// restores them from its baseline.
@Suite("Stories of baselines after rfkill blocks") struct BaselineStoryTests {
    private static let route = "198.51.100.0/24 via 10.77.0.1 dev wlan0 proto static"
    private static let lease = "inet 10.77.0.2/24 dev wlan0 valid_lft 600 preferred_lft 600"
    private static let restored = Restoration(lost: [route], restored: [route])

    private static func item(_ kind: Snapshot.Item.Kind, _ words: String, _ configSource: ConfigSource? = nil)
        -> Snapshot.Item
    {
        Snapshot.Item(
            kind: kind, message: [1], description: words, isAdministrators: configSource == nil,
            configSource: configSource)
    }

    private static let whole = Snapshot(
        items: [item(.address, lease, .provided), item(.route, route)], addressOwner: .iwd)

    /// A world whose link has been healthy for half a minute.
    private func world(_ snapshot: Snapshot = whole, _ change: (inout Settings) -> Void = { _ in })
        -> VirtualWorld
    {
        var world = VirtualWorld(.watch, Sample.settings(change))
        world.configuration.snapshot = snapshot
        world.configuration.restoration = Self.restored
        world.start()
        world.run(for: .seconds(30))
        return world
    }

    private func made(_ world: VirtualWorld) -> [Report.Step] {
        world.reports.steps.filter { if case .restoredLate = $0 { true } else { false } }
    }

    /// Raises the link, as its owner or a user does.
    private func raise(_ world: inout VirtualWorld) {
        world.link.isUp = true
        world.tell(.linkChanged(Sample.link()))
    }

    @Test("the baseline is restored and reported once the owner has restored its own items")
    func putBack() {
        var world = world()
        world.block()
        #expect(world.toggler.pendingRestore?.snapshot == Self.whole)
        world.run(for: .seconds(3000))
        #expect(world.orders.putBack.isEmpty && world.orders.owed.isEmpty, "blocked, nothing can be put back")
        world.lift()
        raise(&world)
        world.configuration.restoration = Restoration(lost: [Self.lease, Self.route])
        world.run(for: .seconds(5))
        #expect(world.orders.putBack.isEmpty && world.orders.compared.count > 2, "its owner is not done")
        world.configuration.restoration = Self.restored
        world.run(for: .seconds(5))
        #expect(world.orders.putBack.count == 1 && world.orders.owed.last == Self.whole)
        #expect(made(world) == [.restoredLate(restored: [Self.route], givenUp: [])])
        #expect(
            world.toggler.pendingRestore == nil && world.orders.lowered.isEmpty && world.orders.raised.isEmpty
        )
        let kept = world.orders.baselines.count
        world.run(for: .seconds(600))
        #expect(
            world.orders.putBack.count == 1 && world.orders.baselines.count == kept + 1, "and is kept anew")
    }

    @Test(
        "this program raises the link if no other does, and restores the baseline even if the link is sick")
    func raised() {
        var world = world()
        world.block()
        world.lift()
        world.link.gateways = []
        world.run(for: .seconds(60))
        #expect(
            world.orders.raised.count == 1 && world.orders.owed.last?.items.last?.description == Self.route)
        let summaries = world.reports.cycles.compactMap(\.action.summary)
        #expect(summaries.map(\.restoration) == [Self.restored])
        #expect(world.toggler.pendingRestore == nil && made(world).isEmpty)
    }

    @Test("the baseline is restored even if the owner has lost the route to the gateway")
    func withoutGateway() {
        var world = world()
        world.block()
        world.lift()
        world.link.gateways = []
        raise(&world)
        world.run(for: .seconds(90))
        #expect(world.reports.cycles.last?.verdict.reason == .noGateway)
        #expect(made(world) == [.restoredLate(restored: [Self.route], givenUp: [])])
    }

    @Test("after a short block, lost routes are restored, in any order of notifications")
    func orders() {
        let orders: [[Event]] = [
            [.down, .linkChanged(Sample.link()), .radioChanged(.soft), .radioChanged(.none)],
            [.down, .radioChanged(.soft), .radioChanged(.none), .linkChanged(Sample.link())],
            [.radioChanged(.soft), .radioChanged(.none), .down, .linkChanged(Sample.link())],
            [.radioChanged(.soft), .down, .linkChanged(Sample.link()), .radioChanged(.none)],
        ]
        for order in orders {
            var world = world()
            for event in order {
                world.run(for: .milliseconds(100))
                world.tell(event)
            }
            world.run(for: .seconds(30))
            #expect(made(world) == [.restoredLate(restored: [Self.route], givenUp: [])], "\(order)")
            #expect(world.orders.raised.isEmpty)
        }
    }

    @Test("a link that a user set down without a block, or long before one, is not restored")
    func user() {
        var without = world()
        without.link.isUp = false
        without.tell(.down)
        without.run(for: .seconds(20))
        raise(&without)
        without.run(for: .seconds(90))
        #expect(without.orders.putBack.isEmpty && without.toggler.pendingRestore == nil)

        var before = world()
        before.link.isUp = false
        before.tell(.down)
        before.run(for: RadioBlock.reach + .seconds(1))
        before.link.radio = .soft
        before.tell(.radioChanged(.soft))
        before.run(for: .seconds(5))
        before.lift()
        raise(&before)
        before.run(for: .seconds(90))
        #expect(before.orders.putBack.isEmpty)

        var between = world()
        between.link.isUp = false
        between.tell(.down)
        between.run(for: RadioBlock.reach + .seconds(1))
        raise(&between)
        between.block()
        #expect(between.toggler.pendingRestore == nil, "what the user cost is not the block's")
    }

    @Test("the baseline stays complete if a check sees the block before its notification")
    func ahead() {
        var world = world()
        world.link.isUp = false
        world.link.radio = .soft
        world.tell(.cycleRequested)
        world.run(for: .milliseconds(10))
        world.tell(.down)
        world.tell(.radioChanged(.soft))
        world.run(for: .seconds(1))
        world.lift()
        raise(&world)
        world.run(for: .seconds(30))
        #expect(made(world) == [.restoredLate(restored: [Self.route], givenUp: [])])
    }

    @Test(
        "items removed before the block are not restored, and many changes cause few new baselines")
    func changes() {
        var world = world()
        let first = world.orders.baselines.count
        for _ in 0..<20 {
            world.tell(.addressingChanged)
            world.run(for: .milliseconds(150))
        }
        #expect((first + 1...first + 2).contains(world.orders.baselines.count))

        world.tell(.addressingLost)
        world.block()
        #expect(world.toggler.pendingRestore == nil, "nobody knows what has gone")

        world = self.world()
        world.tell(.addressingLost)
        world.configuration.snapshot = Snapshot(items: [Self.item(.route, "another")])
        world.run(for: .seconds(3))
        world.tell(.addressingChanged)
        world.block()
        world.tell(.addressingLost)
        #expect(world.toggler.pendingRestore?.snapshot.items.map(\.description) == ["another"])
    }

    @Test("a change during the query for a baseline makes the query's answer obsolete")
    func meanwhile() {
        var world = world()
        world.tell(.addressingLost)
        while world.orders.baselines.last ?? .zero < .seconds(30) { world.run(for: .microseconds(100)) }
        world.tell(.addressingLost)
        world.run(for: .milliseconds(2))
        #expect(world.toggler.baseline.content == nil)
        world.run(for: .seconds(3))
        #expect(world.toggler.baseline.content != nil)
    }

    @Test("the plain timer records a network only after probes have found it healthy")
    func unprobed() throws {
        var held = VirtualWorld(.watch, Sample.settings { $0.isForced = true })
        held.conditions.administrativeHold = .untilReleased
        held.start()
        held.run(for: .seconds(30))
        #expect(held.orders.lowered.isEmpty && held.toggler.baseline.network == nil)

        var world = world { $0.isForced = true }
        let first = try #require(world.toggler.baseline.content)
        world.conditions.administrativeHold = .untilReleased
        world.link.ssid = SSID("elsewhere".utf8)
        world.link.gateways = [.v4(0x0a4e_0001)]
        world.configuration.snapshot = Snapshot(items: [Self.item(.route, "another")])
        world.tell(.addressingChanged)
        world.run(for: .seconds(60))
        #expect(world.toggler.baseline.network == nil && world.toggler.baseline.content == nil)
        world.conditions.administrativeHold = nil
        world.run(for: .seconds(60))
        let second = try #require(world.toggler.baseline.content)
        #expect(
            second.network.isOther(than: first.network) && second.snapshot == world.configuration.snapshot)
    }

    /// Lets the station leave its network and join another one, which gives it another route.
    private func move(_ world: inout VirtualWorld) {
        world.link.ssid = SSID("elsewhere".utf8)
        world.link.gateways = [.v4(0x0a4e_0001)]
        world.configuration.snapshot = Snapshot(items: [Self.item(.route, "another")])
        world.tell(.disconnected(nil))
        world.tell(.linkChanged(Sample.link(state: .down, carrier: false)))
        world.tell(.addressingLost)
        world.tell(.joinAttempted)
        world.tell(.linkChanged(Sample.link()))
        world.tell(.addressingChanged)
    }

    /// Moments at which a station that changes its network is not checked at once.
    enum Unchecked: CaseIterable { case afterVerdict, duringCheck, betweenTicks }

    @Test(
        "items of another network never enter the baseline of the network of the last check",
        arguments: Unchecked.allCases)
    func moved(moment: Unchecked) throws {
        var world = world { $0.isForced = moment == .betweenTicks }
        let home = (ssid: world.link.ssid, gateways: world.link.gateways)
        if moment != .betweenTicks {
            world.tell(.cycleRequested)
            world.run(for: .milliseconds(moment == .duringCheck ? 2 : 100))
        }
        #expect((world.toggler.state.name == "checking") == (moment == .duringCheck))
        let taken = world.orders.baselines.count
        move(&world)
        world.run(for: .milliseconds(700))
        #expect(world.toggler.baseline.content == nil && world.orders.baselines.count == taken)

        var back = world
        back.block()
        back.lift()
        (back.link.ssid, back.link.gateways, back.configuration.snapshot) = (
            home.ssid, home.gateways, Snapshot()
        )
        raise(&back)
        back.run(for: .seconds(90))
        #expect(!back.orders.owed.contains { $0.items.map(\.description) == ["another"] })

        world.run(for: .seconds(60))
        let content = try #require(world.toggler.baseline.content)
        #expect(content.network.ssid == world.link.ssid && content.snapshot == world.configuration.snapshot)
    }

    @Test("the baseline is taken anew once a check finds another gateway")
    func otherGateway() {
        var world = world()
        world.link.gateways = [.v4(0x0a4d_00fe)]
        world.configuration.snapshot = Snapshot(items: [Self.item(.route, "another")])
        world.tell(.addressingChanged)
        world.run(for: .seconds(60))
        let content = world.toggler.baseline.content
        #expect(content?.network.routers.map(\.address) == world.link.gateways)
        #expect(content?.snapshot == world.configuration.snapshot)
    }

    @Test("no baseline is kept of owners' items alone, on a sick link, in a dry run, or with --restore no")
    func notWorth() {
        var owners = world(
            Snapshot(
                items: [
                    Self.item(.address, Self.lease, .provided), Self.item(.powerSave, "power save on"),
                ], addressOwner: .iwd))
        owners.block()
        #expect(owners.toggler.pendingRestore == nil && owners.orders.baselines.count == 1)

        for change: (inout Settings) -> Void in [{ $0.restores = false }, { $0.isDryRun = true }] {
            var world = world(Self.whole, change)
            world.block()
            #expect(world.toggler.pendingRestore == nil && world.orders.baselines.isEmpty)
        }

        var silent = world()
        silent.hosts.gatewayAnswers = false
        silent.run(for: .seconds(90))
        #expect(silent.toggler.lastVerdict?.conclusion == .sick)
        let count = silent.orders.baselines.count
        silent.tell(.addressingLost)
        silent.run(for: .seconds(3))
        #expect(silent.orders.baselines.count == count)

        var mute = world()
        mute.configuration.hasBaseline = false
        mute.tell(.addressingChanged)
        mute.run(for: .seconds(3))
        mute.block()
        #expect(mute.toggler.pendingRestore == nil)
    }

    @Test("the baseline is restored only in its own network, and is dropped after an hour")
    func elsewhere() {
        for isRaised in [true, false] {
            var world = world()
            let home = world.link.ssid
            world.block()
            world.lift()
            world.link.ssid = SSID("elsewhere".utf8)
            if isRaised { raise(&world) }
            world.run(for: .seconds(600))
            // After it has raised the link, the program has nothing to restore in the other network.
            #expect(world.orders.owed.allSatisfy { $0 == Snapshot() }, "\(world.orders.owed)")
            #expect(world.orders.putBack.isEmpty == isRaised)
            #expect(made(world).isEmpty && world.toggler.pendingRestore != nil)
            var later = world
            world.link.ssid = home
            world.run(for: .seconds(90))
            #expect(made(world) == [.restoredLate(restored: [Self.route], givenUp: [])])
            later.run(for: .seconds(3600))
            #expect(made(later) == [.restoredLate(restored: [], givenUp: [Self.route])])
        }
    }

    @Test("the baseline stays complete if a second block comes before everything is restored")
    func again() {
        var world = world()
        world.block()
        world.lift()
        raise(&world)
        world.run(for: .milliseconds(500))
        world.block()
        world.run(for: .seconds(5))
        world.lift()
        raise(&world)
        world.run(for: .seconds(30))
        #expect(made(world) == [.restoredLate(restored: [Self.route], givenUp: [])])
    }

    @Test("a bounce of this program uses its own snapshot, even if it blocks the radio")
    func ours() {
        var world = world { $0.methods = [.rfkill] }
        world.hosts.gatewayAnswers = false
        world.onRaise = { $0.hosts.gatewayAnswers = true }
        while world.toggler.state.name != "keeping down", world.now - world.begun < .seconds(300) {
            world.run(for: .milliseconds(1))
        }
        world.tell(.down)
        world.tell(.radioChanged(.soft))
        #expect(world.toggler.pendingRestore == nil)
        world.tell(.radioChanged(.none))
        world.run(for: .seconds(60))
        #expect(made(world).isEmpty && world.toggler.pendingRestore == nil && world.orders.lowered.count == 1)
    }

    /// A world whose owner has raised the link, and has not restored its own items yet.
    private func waiting() -> VirtualWorld {
        var world = world()
        world.block()
        world.lift()
        raise(&world)
        world.configuration.restoration = Restoration(lost: [Self.lease, Self.route])
        world.run(until: "awaiting owner")
        return world
    }

    @Test("a bounce that a user requests while the owner is awaited begins afterwards")
    func requested() {
        var world = waiting()
        world.tell(.bounceRequested(delay: nil))
        world.configuration.restoration = Self.restored
        world.run(for: .seconds(30))
        #expect(world.orders.lowered.count == 1)
        #expect(made(world) == [.restoredLate(restored: [Self.route], givenUp: [])])
    }

    @Test("a program told to end while the owner is awaited restores at once")
    func terminated() {
        var world = waiting()
        world.tell(.terminationRequested)
        world.run(for: .seconds(1))
        #expect(world.reports.outcome == .interrupted && world.orders.putBack.count == 1)
    }
}
