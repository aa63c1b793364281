import Model
import TestSupport
import Testing

@testable import Netlink

/// A snapshot from a file may have items of other interfaces. They must not be restored.
@MainActor
@Suite(
    "Items of other interfaces", .serialized,
    .enabled(if: NetlinkLaboratory.isPossible, NetlinkLaboratory.requirement))
struct StrangersTests {
    @Test("items of every kind that belong to other interfaces are found")
    func strangers() async throws {
        let laboratory = try NetlinkLaboratory()
        defer { laboratory.remove() }
        try laboratory.raiseNear()
        for words in [
            "link add other type veth peer name another", "link set another up",
            "link set other up", "addr add 10.10.0.2/24 dev other",
            "route add default via 10.10.0.1", "nexthop add id 9 via 10.10.0.1 dev other",
            "neigh add 10.10.0.5 lladdr 02:00:00:00:01:00 dev other nud permanent",
            "route add 192.0.2.0/24 via 10.9.0.1",
            "route add 203.0.113.0/24 nexthop via 10.9.0.1 dev near nexthop via 10.10.0.1 dev other",
        ] {
            try laboratory.nearIP(words)
        }
        let commands = try laboratory.inside { try NetlinkCommands() }
        let near = try await answer { commands.link(named: "near", $0) }.index
        let other = try await answer { commands.link(named: "other", $0) }.index
        let ours = try await answer { commands.takeSnapshot(of: near, $0) }
        let theirs = try await answer { commands.takeSnapshot(of: other, $0) }
        var session = try laboratory.inside { try NetlinkSession() }
        #expect(try session.strangers(in: ours, on: near).isEmpty)
        // The route with a next hop on each interface belongs to both.
        let foreign = theirs.items.filter { !ours.items.contains($0) }
        #expect(Set(foreign.map(\.kind)).isSuperset(of: [.address, .route, .nextHop, .neighbour]))
        let unreadable = Snapshot.Item(
            kind: .route, message: [1, 2], description: "", isAdministrators: true)
        let mixed = Snapshot(items: ours.items + theirs.items + [unreadable])
        #expect(try session.strangers(in: mixed, on: near) == foreign + [unreadable])
    }

    @Test("a route of another interface is known by its source, and a baseline has no such route")
    func elsewhere() async throws {
        let laboratory = try NetlinkLaboratory()
        defer { laboratory.remove() }
        try laboratory.raiseNear()
        for words in ["link set lo up", "addr add 10.9.9.9/32 dev lo", "addr add 10.8.8.8/32 dev near"] {
            try laboratory.nearIP(words)
        }
        try laboratory.nearIP("route add 203.0.114.0/24 dev lo src 10.8.8.8")
        try laboratory.nearIP("route add 203.0.115.0/24 dev lo src 10.9.9.9")
        let commands = try laboratory.inside { try NetlinkCommands() }
        let near = try await answer { commands.link(named: "near", $0) }.index
        let snapshot = try await answer { commands.takeSnapshot(of: near, $0) }
        var session = try laboratory.inside { try NetlinkSession() }
        let strangers = try session.strangers(in: snapshot, on: near)
        #expect(strangers.map(\.description) == ["203.0.114.0/24 dev lo proto boot scope link src 10.8.8.8"])
        #expect(strangers.allSatisfy(snapshot.isFromOwnAddress))
        let baseline = try await answer { commands.takeSnapshot(of: near, isBaseline: true, $0) }
        #expect(baseline.items == snapshot.items.filter { !strangers.contains($0) })
        let lo = try await answer { commands.link(named: "lo", $0) }.index
        let theirs = try await answer { commands.takeSnapshot(of: lo, $0) }
        #expect(theirs.items.count { snapshot.isFromOwnAddress($0) } == 1)
    }

    @Test("the items of a port's master count as the port's own, and those of other interfaces do not")
    func port() async throws {
        let laboratory = try NetlinkLaboratory()
        defer { laboratory.remove() }
        for words in [
            "link add br0 type bridge", "link set br0 up", "link set near master br0", "link set near up",
            "addr add 10.9.0.2/24 dev br0", "link add other type veth peer name another", "link set other up",
            "addr add 10.10.0.2/24 dev other",
        ] {
            try laboratory.nearIP(words)
        }
        let commands = try laboratory.inside { try NetlinkCommands() }
        let near = try await answer { commands.link(named: "near", $0) }.index
        let other = try await answer { commands.link(named: "other", $0) }.index
        var ours = Snapshot(items: [])
        let end = ContinuousClock.now + testTimeout
        while ours.upper?.name != "br0", ContinuousClock.now < end {
            ours = try await answer { commands.takeSnapshot(of: near, $0) }
        }
        #expect(ours.upper?.name == "br0" && ours.items.contains { $0.kind == .address })
        let theirs = try await answer { commands.takeSnapshot(of: other, $0) }
        try laboratory.nearIP("link set near down")
        var session = try laboratory.inside { try NetlinkSession() }
        #expect(try session.strangers(in: ours, on: near).isEmpty)
        #expect(try session.strangers(in: theirs, on: near) == theirs.items && !theirs.items.isEmpty)
    }
}
