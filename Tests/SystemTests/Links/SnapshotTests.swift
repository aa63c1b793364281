import Model
import TestSupport
import Testing

@testable import Netlink

/// What lowering a link loses, and its restoration, with the real kernel.
@MainActor
@Suite(
    "Snapshots in a network namespace", .serialized,
    .enabled(if: NetlinkLaboratory.isPossible, NetlinkLaboratory.requirement))
struct SnapshotTests {
    private static let administrators = [
        "addr add fd77::2/64 dev near nodad",
        "route add default via 10.9.0.1",
        "route add 192.0.2.0/24 via 10.9.0.1 metric 50 table 100",
        "route add 198.51.100.0/24 dev near scope link proto static",
        "route add 203.0.113.7 via 10.9.0.1 src 10.9.0.2 mtu 1280",
        "route add 203.0.113.0/24 nexthop via 10.9.0.1 dev near weight 1 nexthop via 10.9.0.3 dev near weight 2",
        "-6 route add default via fd77::1 dev near metric 7",
        "-6 route add 2001:db8::/32 via fe80::1 dev near",
    ]
    private static let others = ["route add 192.0.2.128/25 via 10.9.0.1 proto dhcp"]

    private func bounced(
        _ body: (NetlinkLaboratory, NetlinkCommands, InterfaceIndex, Snapshot) async throws -> Void
    ) async throws {
        let laboratory = try NetlinkLaboratory()
        defer { laboratory.remove() }
        try laboratory.raiseNear()
        for words in Self.administrators + Self.others {
            try laboratory.nearIP(words)
        }
        let commands = try laboratory.inside { try NetlinkCommands() }
        let index = try await answer { commands.link(named: "near", $0) }.index
        let snapshot = try await answer { commands.takeSnapshot(of: index, $0) }
        for up in [false, true] {
            try await answer { commands.setAdministrativeState(up: up, of: index, timeout: .seconds(5), $0) }
        }
        try await body(laboratory, commands, index, snapshot)
    }

    private func restore(
        _ commands: NetlinkCommands, _ index: InterfaceIndex, _ snapshot: Snapshot, puttingBack: Bool = true
    ) async throws -> Restoration {
        try await outcome { commands.restore(snapshot, on: index, puttingBack: puttingBack, $0) }
    }

    private static func routes(_ items: [Snapshot.Item]) -> Set<[UInt8]> {
        Set(items.filter { $0.kind == .route }.map(\.message))
    }

    @Test("an administrator's routes and addresses are restored, a DHCP client's are reported")
    func everything() async throws {
        try await bounced { _, commands, index, snapshot in
            let restoration = try await restore(commands, index, snapshot)
            #expect(restoration.refused.isEmpty)
            #expect(restoration.restored.count == Self.administrators.count, "\(restoration)")
            #expect(Set(restoration.lost).subtracting(restoration.restored).count == Self.others.count)
            let after = try await answer { commands.takeSnapshot(of: index, $0) }
            let ours = snapshot.items.filter(\.isAdministrators)
            #expect(Set(after.items.map(\.description)) == Set(ours.map(\.description)))
            // Only routes are compared: an address contains the time of its creation.
            #expect(Self.routes(after.items) == Self.routes(ours), "to the byte")
        }
    }

    @Test("a second restore finds nothing lost and does nothing")
    func twice() async throws {
        try await bounced { laboratory, commands, index, snapshot in
            _ = try await restore(commands, index, snapshot)
            try laboratory.nearIP("route add 192.0.2.128/25 via 10.9.0.1 proto dhcp")
            #expect(try await restore(commands, index, snapshot) == Restoration())
        }
    }

    @Test("a route that somebody made anew with other attributes is not changed")
    func replaced() async throws {
        try await bounced { laboratory, commands, index, snapshot in
            try laboratory.nearIP("route add default via 10.9.0.9")
            let restoration = try await restore(commands, index, snapshot)
            #expect(!restoration.lost.contains { $0.hasPrefix("default via 10.9.0.1") })
            let gateways = try await answer { commands.gateways(of: index, $0) }
            #expect(gateways.contains { $0.address == IPAddress("10.9.0.9") })
        }
    }

    @Test("an item that depends on another item is retried once the other item is restored")
    func passes() async throws {
        try await bounced { _, commands, index, snapshot in
            let backwards = Snapshot(items: snapshot.items.reversed())
            let restoration = try await restore(commands, index, backwards)
            #expect(restoration.refused.isEmpty)
            #expect(restoration.restored.count == Self.administrators.count, "\(restoration)")
        }
    }

    @Test("only the missing next hop of an IPv6 route is restored, beside a next hop of another interface")
    func sibling() async throws {
        try await bounced { laboratory, commands, index, _ in
            let ip = laboratory.nearIP
            try ip("link add other type veth peer name other1")
            for name in ["other", "other1"] { try ip("link set \(name) up") }
            try ip("addr add fd88::2/64 dev other nodad")
            try ip("addr replace fd77::2/64 dev near nodad")
            let both = "nexthop via fd77::1 dev near nexthop via fd88::1 dev other"
            try ip("-6 route add 2001:db8:9::/48 \(both)")
            let snapshot = try await answer { commands.takeSnapshot(of: index, $0) }
            let delete = "-6 route del 2001:db8:9::/48"
            try ip("\(delete) via fd77::1 dev near")
            let restoration = try await restore(commands, index, snapshot)
            #expect(restoration.restored.count == 1 && restoration.refused.isEmpty, "\(restoration)")
            #expect(try await restore(commands, index, snapshot) == Restoration())
            // A new route of another interface belongs to another program, and is not changed. The lost next
            // hop of this interface is only reported.
            for hop in ["via fd77::1 dev near", "via fd88::1 dev other"] {
                try ip("\(delete) \(hop)")
            }
            try ip("-6 route add 2001:db8:9::/48 via fd88::7 dev other")
            let left = try await restore(commands, index, snapshot)
            #expect(left.lost.count == 1 && left.restored.isEmpty && left.refused.isEmpty, "\(left)")
        }
    }

    @Test("a route through a nexthop group that lost a member does not count as lost")
    func cutShort() async throws {
        try await bounced { laboratory, commands, index, _ in
            let ip = laboratory.nearIP
            try ip("link add other type veth peer name other1")
            for name in ["other", "other1"] { try ip("link set \(name) up") }
            try ip("addr add 10.8.0.2/24 dev other")
            try ip("nexthop add id 1 via 10.9.0.1 dev near")
            try ip("nexthop add id 2 via 10.8.0.1 dev other")
            try ip("nexthop add id 3 group 1/2")
            try ip("route add 203.0.113.0/25 nhid 3")
            let snapshot = try await answer { commands.takeSnapshot(of: index, $0) }
            for state in ["down", "up"] { try ip("link set near \(state)") }
            let restoration = try await restore(commands, index, snapshot, puttingBack: false)
            #expect(restoration.lost.count { $0.hasPrefix("nexthop") } == 2, "\(restoration)")
            #expect(!restoration.lost.contains { $0.contains("nhid") }, "\(restoration)")
        }
    }

    @Test(
        "the owner restores its own address, and the program then puts all others after that one"
    )
    func addressOwner() async throws {
        try await bounced { laboratory, commands, index, _ in
            let ip = laboratory.nearIP
            try ip("addr flush dev near scope global")
            try ip("addr add 10.9.0.2/24 dev near")
            try ip("route add default via 10.9.0.1")
            try ip("addr add 10.99.9.9/32 dev near")
            try ip("route add 203.0.113.0/25 via 10.9.0.1 src 10.99.9.9 proto static")
            // The kernel removes these together with the addresses, although they use another interface.
            try ip("link set lo up")
            let elsewhere = ["203.0.114.0/24 dev lo src 10.99.9.9", "203.0.115.0/24 dev lo src 10.9.0.2"]
            for route in elsewhere { try ip("route add \(route)") }
            var snapshot = try await answer { commands.takeSnapshot(of: index, $0) }
            snapshot.addressOwner = .iwd
            try ip("addr del 10.9.0.2/24 dev near")
            let without = try await restore(commands, index, snapshot)
            #expect(!without.restored.contains { $0.hasPrefix("inet 10.9.0.2") }, "\(without)")
            try ip("addr add 10.9.0.2/24 dev near")
            func addresses() async throws -> [String] {
                try await answer { commands.takeSnapshot(of: index, $0) }.items.filter { $0.kind == .address }
                    .compactMap { $0.description.split(separator: " ").dropFirst().first.map(String.init) }
                    .filter { $0.hasPrefix("10.") }
            }
            #expect(try await addresses() == ["10.99.9.9/32", "10.9.0.2/24"])
            _ = try await restore(commands, index, snapshot, puttingBack: false)
            #expect(try await addresses() == ["10.99.9.9/32", "10.9.0.2/24"], "comparing changes nothing")
            let restoration = try await restore(commands, index, snapshot)
            #expect(try await addresses() == ["10.9.0.2/24", "10.99.9.9/32"])
            #expect(restoration.refused.isEmpty, "\(restoration)")
            for route in elsewhere {
                #expect(restoration.restored.contains { $0.hasPrefix(route.prefix(21)) }, "\(restoration)")
            }
            #expect(try await restore(commands, index, snapshot) == Restoration())
        }
    }

    @Test(
        "a link-local address is restored, unless the address owner makes it itself"
    )
    func linkLocal() async throws {
        try await bounced { laboratory, commands, index, _ in
            let ip = laboratory.nearIP
            try ip("addr add fe80::7/64 dev near nodad noprefixroute")
            try ip("addr add fe80::77/64 dev near nodad")
            try ip("-6 route add fe80::9 dev near proto ra metric 600")
            var snapshot = try await answer { commands.takeSnapshot(of: index, $0) }
            for addressOwner in [nil, .networkManager] as [Owner?] {
                snapshot.addressOwner = addressOwner
                for state in ["down", "up"] { try ip("link set near \(state)") }
                let restoration = try await restore(commands, index, snapshot)
                let address = { (words: String) in words.hasPrefix("inet6 fe80") }
                let lost = restoration.lost.filter(address).compactMap {
                    $0.split(separator: " ").dropFirst().first
                }
                #expect(Set(lost) == (addressOwner == nil ? ["fe80::7/64", "fe80::77/64"] : ["fe80::77/64"]))
                #expect(restoration.restored.filter(address) == restoration.lost.filter(address))
                #expect(
                    restoration.lost.contains { $0.hasPrefix("fe80::9") } == (addressOwner == nil),
                    "\(restoration)"
                )
            }
        }
    }

    @Test("if the master is removed after the snapshot, the link's own items are restored")
    func masterRemoved() async throws {
        try await bounced { laboratory, commands, index, _ in
            let ip = laboratory.nearIP
            try ip("route add 203.0.113.128/25 dev near")
            try ip("link add other type bridge")
            try ip("link set near master other")
            try ip("link set other up")
            try ip("addr add 10.7.0.2/24 dev other")
            try ip("route add 198.18.0.0/15 dev other")
            let snapshot = try await answer { commands.takeSnapshot(of: index, $0) }
            #expect(snapshot.items.contains { $0.description.hasPrefix("198.18.0.0/15") })
            try ip("link del other")
            for state in ["down", "up"] { try ip("link set near \(state)") }
            let restoration = try await restore(commands, index, snapshot)
            #expect(restoration.restored.contains { $0.hasPrefix("203.0.113.128/25") }, "\(restoration)")
            #expect(restoration.refused.allSatisfy { $0.description.contains("dev other") }, "\(restoration)")
        }
    }

    @Test("without restoring, the snapshot is only compared")
    func compareOnly() async throws {
        try await bounced { _, commands, index, snapshot in
            let first = try await restore(commands, index, snapshot, puttingBack: false)
            let second = try await restore(commands, index, snapshot, puttingBack: false)
            #expect(first.restored.isEmpty && first.lost.count == snapshot.items.count - 1, "\(first)")
            #expect(first == second)
        }
    }

    @Test("an item that cannot be restored is reported with the kernel's error text")
    func refused() async throws {
        try await bounced { laboratory, commands, index, snapshot in
            try laboratory.nearIP("link set near down")
            let restoration = try await restore(commands, index, snapshot)
            let refused = try #require(
                restoration.refused.first { $0.description.hasPrefix("default via 10.9.0.1") })
            #expect(
                refused.failure.description.contains("Nexthop"),
                "not strerror(3), but the extended acknowledgement"
            )
        }
    }
}
