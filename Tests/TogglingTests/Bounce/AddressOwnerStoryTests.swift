import Testing

@testable import Model
@testable import Toggling

/// With an address owner, the program waits until the owner has restored its own items, and then restores
/// those that others had added.
@Suite("Stories of address owners") struct AddressOwnerStoryTests {
    private static let address = "inet 10.77.0.2/24 dev wlan0 valid_lft 600 preferred_lft 600"
    private static let route = "default via 10.77.0.1 dev wlan0 proto dhcp"
    private static let foreign = "198.51.100.0/24 via 10.77.0.1 dev wlan0 proto static"

    private static func item(
        _ kind: Snapshot.Item.Kind, _ description: String, isAdministrators: Bool = false,
        _ configSource: ConfigSource?
    ) -> Snapshot.Item {
        Snapshot.Item(
            kind: kind, message: [1], description: description, isAdministrators: isAdministrators,
            configSource: configSource)
    }

    private static func snapshot(_ addressOwner: Owner?) -> Snapshot {
        Snapshot(
            items: [
                item(.address, address, .provided), item(.route, route, .provided),
                item(.route, foreign, isAdministrators: true, nil),
            ], addressOwner: addressOwner)
    }

    /// - Parameter seconds: when the owner restores its address, in seconds after the raise; its route
    ///   follows a second later.
    private func world(
        _ addressOwner: Owner?, backAfter seconds: Int, _ runMode: RunMode = .toggle,
        _ change: (inout Settings) -> Void = { _ in }
    ) -> VirtualWorld {
        var world = VirtualWorld(runMode, Sample.settings(change))
        world.configuration.snapshot = Self.snapshot(addressOwner)
        world.configuration.missing = { raised in
            let own = raised < .seconds(seconds) ? [Self.address, Self.route] : [Self.route]
            return raised < .seconds(seconds + 1) ? own : []
        }
        return world
    }

    private func seconds(_ durations: [Duration], since start: Duration?) -> [Int] {
        durations.map { ($0 - (start ?? .zero)).wholeSeconds }
    }

    @Test("nothing is restored before the address owner has restored its address and its route")
    func waits() throws {
        var world = world(.networkManager, backAfter: 4)
        world.start()
        while world.reports.outcome == nil { world.run(for: .milliseconds(50)) }
        let raised = try #require(world.orders.raised.first)
        let first = try #require(world.orders.putBack.first)
        #expect(first - raised >= .seconds(5) && first - raised < .milliseconds(5600), "\(first - raised)")
        #expect(world.orders.compared.allSatisfy { $0 < first } && world.orders.compared.count > 5)
        #expect(world.reports.outcome == .healthy)
        let isOverdue = world.reports.steps.contains { if case .ownerOverdue = $0 { true } else { false } }
        #expect(!isOverdue)
    }

    @Test("the owner gets at most the settle time, and items that it has not restored are reported")
    func overdue() throws {
        let timeout = try #require(Owner.iwd.quirks.timeout)
        for (settle, time) in [(Duration.seconds(60), timeout), (.seconds(5), .seconds(5))] {
            var world = world(.iwd, backAfter: 1000) { $0.settle = settle }
            world.start()
            while world.reports.outcome == nil { world.run(for: .milliseconds(50)) }
            let waited = try #require(world.orders.putBack.first) - (try #require(world.orders.raised.first))
            #expect(waited >= time - .milliseconds(10) && waited < time + .milliseconds(300), "\(waited)")
            #expect(world.reports.steps.contains(.ownerOverdue(.iwd, missing: [Self.address, Self.route])))
        }
    }

    @Test("if networkd has its addresses, and not its routes, they are restored after its time")
    func unnoticed() throws {
        for (owner, missing, isTaken) in [
            (Owner.networkd, [Self.route], true), (.networkd, [Self.address, Self.route], false),
            (.iwd, [Self.route], false),
        ] {
            var world = world(owner, backAfter: 1000) { $0.settle = .seconds(60) }
            world.configuration.missing = { _ in missing }
            world.start()
            while world.reports.outcome == nil { world.run(for: .milliseconds(50)) }
            let last = try #require(world.orders.owed.last)
            #expect(last.items.filter(last.isOurs).map(\.description).contains(Self.route) == isTaken)
            #expect(world.reports.steps.contains(.ownerOverdue(owner, missing: missing)))
        }
    }

    @Test("while networkd waits for an IPv6 address, only its IPv4 routes are restored")
    func families() {
        func item(
            _ kind: Snapshot.Item.Kind, _ description: String, family: UInt8, protocol number: UInt8 = 0,
            _ configSource: ConfigSource? = .provided
        ) -> Snapshot.Item {
            Snapshot.Item(
                kind: kind, message: [UInt8](repeating: 0, count: 16) + [family, 0, 0, 0, 0, number],
                description: description, isAdministrators: false, configSource: configSource)
        }
        let items = [
            item(.address, "4", family: 2), item(.address, "6", family: 10), item(.route, "to 4", family: 2),
            item(.route, "to 6", family: 10), item(.route, "leased", family: 2, protocol: 16, nil),
            item(.route, "by a routing daemon", family: 2, protocol: 186, nil),
        ]
        let whole = Snapshot(items: items, addressOwner: .networkd)
        let rest = whole.taking(
            over: Restoration(lost: ["6", "to 4", "to 6", "leased", "by a routing daemon"]))
        #expect(rest.items.filter(rest.isOurs).map(\.description) == ["to 4", "leased"])
        #expect(rest.items.map(\.description) == items.map(\.description))
        #expect(whole.taking(over: Restoration()) == whole)
    }

    /// A world whose name servers are missing for this long after the raise; nil: for ever.
    private func muteWorld(
        _ addressOwner: Owner?, backAfter seconds: Int?, hadServers: Bool = true,
        _ change: (inout Settings) -> Void = { _ in }
    ) -> VirtualWorld {
        var world = VirtualWorld(.toggle, Sample.settings(change))
        world.configuration.snapshot = Snapshot(
            // A route that looks as if it was configured by hand is not awaited, only name servers are.
            items: [Self.item(.route, Self.route, isAdministrators: true, .provided)],
            addressOwner: addressOwner,
            hasNameServers: hadServers)
        world.configuration.missing = { _ in [] }
        world.configuration.lacksNameServers = { raised in seconds.map { raised < .seconds($0) } ?? true }
        return world
    }

    @Test(
        "an owner's name servers are awaited like its routes, if the link had name servers before")
    func nameServers() throws {
        for (hadServers, time) in [(true, Duration.seconds(4)), (false, .zero)] {
            var world = muteWorld(.networkManager, backAfter: 4, hadServers: hadServers)
            world.start()
            world.run(for: .seconds(60))
            let waited = try #require(world.orders.putBack.first) - (try #require(world.orders.raised.first))
            #expect(waited >= time && waited < time + .milliseconds(700), "\(waited)")
            #expect(world.reports.outcome == .healthy && !world.isSomethingOverdue)
        }
    }

    @Test(
        "name servers that the owner does not restore in time are reported, but do not count as lost"
    )
    func overdueNameServers() throws {
        let timeout = try #require(Owner.networkManager.quirks.timeout)
        var world = muteWorld(.networkManager, backAfter: nil) { $0.settle = .seconds(60) }
        world.start()
        world.run(for: .seconds(60))
        let waited = try #require(world.orders.putBack.first) - (try #require(world.orders.raised.first))
        #expect(waited >= timeout - .milliseconds(10) && waited < timeout + .milliseconds(300), "\(waited)")
        #expect(world.reports.steps.contains(.ownerOverdue(.networkManager, missing: ["its name servers"])))
        #expect(world.reports.outcome == .healthy)
        #expect(world.reports.cycles.compactMap(\.action.summary).first?.restoration.lost == [])
    }

    @Test(
        "without an address owner no name servers are awaited",
        arguments: [nil, .dhclient, .supplicant] as [Owner?])
    func nobodysNameServers(addressOwner: Owner?) {
        var world = muteWorld(addressOwner, backAfter: nil)
        world.start()
        world.run(for: .seconds(60))
        #expect(world.orders.compared.isEmpty && !world.isSomethingOverdue)
    }

    @Test("a snapshot for the next method still expects name servers that an earlier method lost")
    func nameServersAfterNext() {
        let first = Snapshot(items: [], addressOwner: .iwd, hasNameServers: true)
        #expect(first.rest(after: Restoration()).hasNameServers)
        #expect(Snapshot(addressOwner: .iwd).after(first).hasNameServers)
        #expect(!Snapshot(addressOwner: .iwd).after(Snapshot()).hasNameServers)
        var restoration = Restoration(lacksNameServers: true)
        restoration.add(Restoration())
        #expect(!restoration.lacksNameServers)
    }

    @Test(
        "without an owner that restores anything, the program restores at once",
        arguments: [nil, .dhclient, .ifupdown, .supplicant, .udhcpc] as [Owner?])
    func nobody(addressOwner: Owner?) throws {
        var world = world(addressOwner, backAfter: 4)
        world.start()
        world.run(for: .seconds(60))
        let waited = try #require(world.orders.putBack.first) - (try #require(world.orders.raised.first))
        #expect(waited < .milliseconds(300), "\(waited)")
        #expect(world.orders.compared.isEmpty)
    }

    @Test("with --restore no, or if the owner had no items before, the owner is not awaited")
    func nothingToWaitFor() throws {
        var world = world(.networkManager, backAfter: 4) { $0.restores = false }
        world.start()
        world.run(for: .seconds(60))
        #expect(world.reports.outcome == .healthy)
        let raised = try #require(world.orders.raised.first)
        #expect(try #require(world.orders.compared.first) - raised < .milliseconds(300))

        world = self.world(.networkManager, backAfter: 4)
        world.configuration.snapshot.items.removeFirst(2)
        world.start()
        world.run(for: .seconds(60))
        #expect(
            try #require(world.orders.putBack.first) - (try #require(world.orders.raised.first))
                < .milliseconds(300))
    }

    @Test("a notification of a change causes a comparison soon, and twenty cause only one")
    func announced() throws {
        var world = world(.networkManager, backAfter: 1000)
        world.start()
        world.run(until: "awaiting owner")
        world.run(for: .milliseconds(50))
        let before = world.orders.compared.count
        for _ in 0..<20 { world.tell(.addressingChanged) }
        world.run(for: .milliseconds(110))
        #expect(world.orders.compared.count == before + 1)
    }

    @Test("a program told to end while it awaits the owner restores at once", arguments: [true, false])
    func terminated(whileComparing: Bool) throws {
        var world = world(.networkManager, backAfter: 1000)
        world.start()
        world.run(until: "awaiting owner")
        if !whileComparing { world.run(for: .milliseconds(50)) }
        world.tell(.terminationRequested)
        world.run(for: .milliseconds(20))
        #expect(world.reports.outcome == .interrupted)
        #expect(world.orders.putBack.count == 1)
        #expect(!world.isGuarded)
    }

    @Test("a program told to end during a comparison ends even if the link is lost at that moment")
    func terminatedAndLost() {
        var world = world(.iwd, backAfter: 1000)
        world.start()
        world.run(until: "awaiting owner")
        world.tell(.terminationRequested)
        world.link.isInRange = false
        world.tell(.linkChanged(Sample.link(state: .dormant)))
        world.run(for: .milliseconds(20))
        #expect(world.reports.outcome == .interrupted && world.orders.putBack.count == 1)
    }

    @Test(
        "if the link is lost while the owner is awaited, the link is awaited, and the owner's time goes on"
    )
    func lostMeanwhile() throws {
        var world = world(.iwd, backAfter: 1000) { $0.settle = .seconds(60) }
        world.start()
        world.run(until: "awaiting owner")
        world.run(for: .seconds(3))
        world.link.isInRange = false
        world.tell(.linkChanged(Sample.link(state: .dormant)))
        world.run(for: .seconds(2))
        #expect(world.toggler.state.name == "awaiting link")
        world.link.isInRange = true
        world.tell(.linkChanged(Sample.link()))
        while world.reports.outcome == nil { world.run(for: .milliseconds(50)) }
        let waited = try #require(world.orders.putBack.first) - (try #require(world.orders.raised.first))
        #expect(waited.wholeSeconds == 10, "\(waited)")
    }

    @Test("a link that a user sets down while the owner is awaited is left down")
    func setDown() {
        var world = world(.iwd, backAfter: 1000)
        world.start()
        world.run(until: "awaiting owner")
        world.link.isUp = false
        world.tell(.linkChanged(Sample.link(isUp: false)))
        world.run(for: .seconds(60))
        #expect(world.reports.steps.contains(.loweredByOther))
        #expect(world.orders.raised.count == 1 && world.orders.putBack.isEmpty)
    }

    @Test(
        "the owner's addresses are left to the owner, and a route that looks manual is restored at once"
    )
    func parts() {
        let own = Self.item(.address, "own", isAdministrators: true, .provided)
        let linkLocal = Self.item(.address, "link-local", isAdministrators: true, .linkLocal)
        let byHand = Self.item(.route, "by hand", isAdministrators: true, .provided)
        let other = Self.item(.address, "other", isAdministrators: true, nil)
        let items = [own, linkLocal, byHand, other]
        let kept = Snapshot(items: items, addressOwner: .connman)
        #expect(items.filter(kept.isOurs).map(\.description) == ["by hand", "other"])
        #expect(items.filter(kept.isLeft).map(\.description) == ["own", "link-local"])
        #expect(items.filter(kept.isMissed).map(\.description) == ["own", "by hand", "other"])
        let advertised = Self.item(.route, "advertised", .provided)
        let router = Snapshot(items: [own, advertised], addressOwner: .connman)
        #expect(router.overdue(in: Restoration(lost: ["own", "advertised"])) == ["own"])
        let better = Snapshot(items: [own, advertised], addressOwner: .networkd)
        #expect(better.overdue(in: Restoration(lost: ["own", "advertised"])) == ["own", "advertised"])
        let all = Restoration(lost: items.map(\.description))
        #expect(kept.overdue(in: all) == ["own"])
        #expect(kept.overdue(in: Restoration(lost: all.lost, restored: ["own"])).isEmpty)
        for addressOwner in [nil, .dhclient] as [Owner?] {
            let free = Snapshot(items: items, addressOwner: addressOwner)
            #expect(items.allSatisfy(free.isOurs) && free.overdue(in: all).isEmpty)
            #expect(items.allSatisfy(free.isMissed))
        }
    }

    @Test(
        "the slowest of several owners is the address owner; an owner that restores nothing never is"
    )
    func addressOwner() {
        func addressOwner(_ owners: Owner...) -> Owner? {
            Ownership(network: .init(owners.map { .init($0, "process 7") })).addressOwner
        }
        #expect(addressOwner(.ifupdown, .dhcpcd) == .dhcpcd)
        #expect(addressOwner(.iwd, .networkManager) == .networkManager)
        #expect(addressOwner(.ifupdown, .dhclient) == nil)
        #expect(Ownership(station: .init([.init(.iwd, "process 7")])).addressOwner == nil)
    }
}

extension VirtualWorld {
    fileprivate var isSomethingOverdue: Bool {
        reports.steps.contains { if case .ownerOverdue = $0 { true } else { false } }
    }
}
