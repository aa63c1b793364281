import Glibc
import Model
import TestSupport
import Testing

@testable import Netlink

private let gateway = IPAddress.v4(0x0a09_0001)

@MainActor
@Suite(
    "Netlink in a network namespace of its own", .serialized,
    .enabled(if: NetlinkLaboratory.isPossible, NetlinkLaboratory.requirement))
struct NetlinkNamespaceTests {
    /// Everything that a test needs, removed after it.
    private func laboratory(
        _ body: (NetlinkLaboratory, NetlinkCommands, InterfaceIndex) async throws -> Void
    ) async throws {
        let laboratory = try NetlinkLaboratory()
        defer { laboratory.remove() }
        let commands = try laboratory.inside { try NetlinkCommands() }
        let link = try await answer { commands.link(named: "near", $0) }
        try await body(laboratory, commands, link.index)
    }

    private func failure(_ body: () async throws -> Void) async -> Failure? {
        await #expect(throws: Failure.self) { try await body() }
    }

    @Test("a link is lowered and raised by its index, and the monitor receives both events")
    func downAndUp() async throws {
        try await laboratory { laboratory, commands, index in
            try laboratory.raiseNear()
            let listener = try laboratory.inside { try NetlinkListener(.links) }
            for up in [false, true] {
                try await answer {
                    commands.setAdministrativeState(up: up, of: index, timeout: .seconds(5), $0)
                }
                #expect(try await answer { commands.link(index, $0) }.isUp == up)
                let isHeard = await listener.hears {
                    if case .linkChanged(let link) = $0 {
                        link.index == index && link.isUp == up
                    } else {
                        false
                    }
                }
                #expect(isHeard, "no notification of up \(up) in \(listener.heard)")
            }
        }
    }

    @Test("all links are listed, with their names")
    func links() async throws {
        try await laboratory { _, commands, index in
            let links = try await answer { commands.links($0) }
            #expect(links.contains { $0.name == "near" && $0.index == index })
            #expect(links.contains { $0.name == "lo" })
        }
    }

    @Test("a link is found by an alternative name that is longer than an interface name can be")
    func alternativeName() async throws {
        try await laboratory { laboratory, commands, index in
            try laboratory.nearIP("link property add dev near altname a-long-name-of-near")
            #expect(try await answer { commands.link(named: "a-long-name-of-near", $0) }.index == index)
        }
    }

    @Test("the kernel state has the address, the default route and the permanent neighbour")
    func kernelState() async throws {
        try await laboratory { laboratory, commands, index in
            try laboratory.raiseNear()
            try laboratory.nearIP("route add default via 10.9.0.1")
            try laboratory.nearIP(
                "neigh replace 10.9.0.1 lladdr 02:00:00:00:00:07 nud permanent dev near"
            )
            let kernelState = try await answer {
                commands.kernelState(
                    index,
                    radio: { _ in
                        Issue.record("a veth has no radio")
                        return .hard
                    }, $0)
            }
            #expect(kernelState.link.name == "near")
            #expect(kernelState.link.isUp)
            #expect(kernelState.link.counters != nil)
            #expect(kernelState.radio == .none)
            #expect(kernelState.wireless == nil)
            #expect(
                kernelState.addresses.contains(
                    InterfaceAddress(address: .v4(0x0a09_0002), prefixLength: 24, reachesBeyondLink: true)))
            #expect(
                kernelState.gateways == [
                    Gateway(
                        address: gateway,
                        neighbour: Neighbour(
                            state: .permanent, macAddress: MACAddress([2, 0, 0, 0, 0, 7])))
                ])
        }
    }

    @Test("gateways of every table, family and kind of route are found")
    func gateways() async throws {
        try await laboratory { laboratory, commands, index in
            try laboratory.raiseNear()
            try laboratory.nearIP("addr add fd09::2/64 dev near nodad")
            try laboratory.nearIP("route add 198.18.0.0/16 nexthop via 10.9.0.5 nexthop via 10.9.0.6")
            try laboratory.nearIP("route add 203.0.113.0/24 via inet6 fe80::7 dev near")
            try laboratory.nearIP("nexthop add id 5 via 10.9.0.8 dev near")
            try laboratory.nearIP("route add 192.0.2.0/24 nhid 5")
            try laboratory.nearIP("route add default via 10.9.0.9 table 77 metric 5")
            try laboratory.nearIP("route add default via 10.9.0.1 metric 1")
            try laboratory.nearIP("route add default via fd09::1 dev near metric 9")
            try laboratory.nearIP("link add other type veth peer name another")
            try laboratory.nearIP("addr add 10.10.0.2/24 dev other")
            try laboratory.nearIP("link set other up")
            try laboratory.nearIP("route add default via 10.10.0.1 metric 2")
            let addresses = try await answer { commands.gateways(of: index, $0) }.map(\.address.description)
            #expect(addresses.prefix(3) == ["10.9.0.1", "10.9.0.9", "fd09::1"])
            #expect(
                Set(addresses.dropFirst(3)) == ["10.9.0.5", "10.9.0.6", "fe80::7", "10.9.0.8"])
        }
    }

    @Test(
        "each interface of a default route with several next hops has a default route, in every table",
        arguments: [
            ["route add default nexthop via 10.9.0.1 nexthop via 10.10.0.1"],
            ["route add default via 10.10.0.1 table 77", "route add default via 10.9.0.1"],
            ["-6 route add default nexthop via fd09::1 nexthop via fd10::1"],
            [
                "nexthop add id 1 via 10.9.0.1 dev near", "nexthop add id 2 via 10.10.0.1 dev other",
                "nexthop add id 3 group 1/2", "route add default nhid 3",
            ],
        ], [0, 1])
    func defaultRoutes(routes: [String], compatibility: Int) async throws {
        try await laboratory { laboratory, commands, _ in
            try laboratory.raiseNear()
            try laboratory.nearIP("link add other type veth peer name another")
            for (name, network) in [("other", "10"), ("another", "11")] {
                try laboratory.nearIP("link set \(name) up")
                try laboratory.nearIP("addr add 10.\(network).0.2/24 dev \(name)")
                try laboratory.nearIP("addr add fd\(network)::2/64 dev \(name) nodad")
            }
            try laboratory.nearIP("addr add fd09::2/64 dev near nodad")
            // With 0, the kernel reports only the number of a nexthop object.
            try laboratory.ip(
                "netns exec \(laboratory.near) sysctl -qw net.ipv4.nexthop_compat_mode=\(compatibility)")
            try laboratory.nearIP("route add 198.18.0.0/16 via 10.11.0.1")
            try laboratory.nearIP("route add unreachable default metric 9")
            #expect(try await answer { commands.interfacesWithDefaultRoute($0) } == [])
            for route in routes { try laboratory.nearIP(route) }
            let names = try await answer { commands.interfacesWithDefaultRoute($0) }
            #expect(Set(names) == ["near", "other"])
        }
    }

    @Test("a neighbour that answers becomes reachable, with and without an earlier entry")
    func reachableNeighbour() async throws {
        try await laboratory { laboratory, commands, index in
            try laboratory.raiseNear()
            for _ in 1...2 {
                let listener = try laboratory.inside { try NetlinkListener(.neighbours) }
                try await answer { commands.verifyNeighbour(gateway, on: index, $0) }
                let isHeard = await listener.hears(gateway, .reachable, on: index)
                #expect(isHeard, "not found reachable: \(listener.heard)")
            }
            let entry = try await answer { commands.neighbour(gateway, on: index, $0) }
            #expect(entry?.macAddress != nil)
            #expect((entry?.confirmed ?? .seconds(60)) < .seconds(10))
        }
    }

    @Test("a neighbour that has gone, or never existed, becomes failed", arguments: [true, false])
    func failedNeighbour(wasThere: Bool) async throws {
        try await laboratory { laboratory, commands, index in
            try laboratory.raiseNear()
            if wasThere {
                try laboratory.nearIP(
                    "neigh replace 10.9.0.1 lladdr 02:00:00:00:00:07 nud stale dev near"
                )
            }
            try laboratory.ip("-n \(laboratory.far) addr flush dev far")
            let listener = try laboratory.inside { try NetlinkListener(.neighbours) }
            try await answer { commands.verifyNeighbour(gateway, on: index, $0) }
            // A second request while the kernel is resolving adds nothing.
            try await answer { commands.verifyNeighbour(gateway, on: index, $0) }
            let isHeard = await listener.hears(gateway, .failed, on: index)
            #expect(isHeard, "not found failed: \(listener.heard)")
            // The neighbour comes back, in spite of the failed entry.
            try laboratory.ip("-n \(laboratory.far) addr add 10.9.0.1/24 dev far")
            try await answer { commands.verifyNeighbour(gateway, on: index, $0) }
            let isBack = await listener.hears(gateway, .reachable, on: index)
            #expect(isBack, "not found reachable: \(listener.heard)")
        }
    }

    @Test(
        "a neighbour that answered recently counts as liveness, unless it is a gateway"
    )
    func neighbourAlive() async throws {
        try await laboratory { laboratory, commands, index in
            try laboratory.raiseNear()
            @MainActor func liveness(_ duration: Duration) async throws -> [Liveness] {
                try await outcome { commands.liveness(over: index, heardWithin: duration, $0) }
            }
            #expect(try await liveness(.seconds(10)).isEmpty)
            let listener = try laboratory.inside { try NetlinkListener(.neighbours) }
            try await answer { commands.verifyNeighbour(gateway, on: index, $0) }
            let isHeard = await listener.hears(gateway, .reachable, on: index)
            #expect(isHeard, "not found reachable: \(listener.heard)")
            let signs = try await liveness(.seconds(10))
            #expect(signs.map(\.peer) == [gateway] && signs.map(\.manner) == [.neighbour], "\(signs)")
            #expect(try await liveness(.milliseconds(9)).isEmpty, "a tick is 10 ms")
            try laboratory.nearIP("route add default via 10.9.0.1")
            #expect(try await liveness(.seconds(10)).isEmpty, "it is a gateway now")
        }
    }

    @Test("a permanent neighbour entry is never changed")
    func permanentNeighbour() async throws {
        try await laboratory { laboratory, commands, index in
            try laboratory.raiseNear()
            try laboratory.nearIP(
                "neigh replace 10.9.0.1 lladdr 02:00:00:00:00:07 nud permanent dev near"
            )
            let failure = await failure {
                try await answer { commands.verifyNeighbour(gateway, on: index, $0) }
            }
            #expect(failure?.kind == .other)
            let entry = try await answer { commands.neighbour(gateway, on: index, $0) }
            #expect(entry == Neighbour(state: .permanent, macAddress: MACAddress([2, 0, 0, 0, 0, 7])))
        }
    }

    @Test("a deleted link is reported as no such device, and the monitor receives its removal")
    func removedLink() async throws {
        try await laboratory { laboratory, commands, index in
            let listener = try laboratory.inside { try NetlinkListener(.links) }
            try laboratory.nearIP("link del near")
            let isHeard = await listener.hears { $0 == .linkRemoved(index) }
            #expect(isHeard, "no removal in \(listener.heard)")
            let failures = [
                await failure { _ = try await answer { commands.link(index, $0) } },
                await failure { _ = try await answer { commands.link(named: "near", $0) } },
                await failure { _ = try await answer { commands.gateways(of: index, $0) } },
                await failure {
                    try await answer {
                        commands.setAdministrativeState(up: true, of: index, timeout: .seconds(5), $0)
                    }
                },
            ]
            for failure in failures {
                #expect(failure?.kind == .noSuchDevice)
                #expect(failure?.code == ENODEV)
            }
        }
    }

    @Test("the failure has the kernel's extended error message")
    func extendedAcknowledgement() async throws {
        try await laboratory { _, commands, _ in
            let failure = await failure {
                _ = try await answer {
                    commands.neighbour(gateway, on: InterfaceIndex(rawValue: 99_999), $0)
                }
            }
            #expect(
                failure == Failure(kind: .noSuchDevice, code: ENODEV, description: "Unknown device ifindex"))
        }
    }

    @Test("without CAP_NET_ADMIN lowering is not permitted, but reading is")
    func notPermitted() async throws {
        try await laboratory { laboratory, _, index in
            try laboratory.raiseNear()
            let commands = try laboratory.inside {
                try NetlinkLaboratory.withoutNetworkAdministration { try NetlinkCommands() }
            }
            let failure = await failure {
                try await answer {
                    commands.setAdministrativeState(up: false, of: index, timeout: .seconds(5), $0)
                }
            }
            #expect(failure?.kind == .notPermitted)
            #expect(failure?.code == EPERM)
            #expect(try await answer { commands.link(index, $0) }.isUp)
        }
    }

    @Test("new addresses and routes are received with their interface")
    func announcements() async throws {
        try await laboratory { laboratory, _, index in
            let listener = try laboratory.inside { try NetlinkListener([.addresses, .routes]) }
            try laboratory.raiseNear()
            try laboratory.nearIP("route add default via 10.9.0.1")
            let hearsAddress = await listener.hears { $0 == .addressChanged(index) }
            let hearsRoute = await listener.hears { $0 == .routeChanged(index) }
            #expect(hearsAddress && hearsRoute, "heard \(listener.heard)")
        }
    }

    @Test("changes of nexthop objects are received with their interface, and those of groups without one")
    func nextHops() async throws {
        try await laboratory { laboratory, _, index in
            try laboratory.raiseNear()
            let listener = try laboratory.inside { try NetlinkListener(.routes) }
            for words in [
                "add id 7 via 10.9.0.1 dev near", "add id 8 group 7", "del id 8", "del id 7",
            ] {
                try laboratory.nearIP("nexthop \(words)")
            }
            let expected: [NetlinkMonitor.Notification] = [
                .routeChanged(index), .nextHopGroupChanged, .nextHopGroupRemoved, .routeRemoved(index),
            ]
            for notification in expected {
                let isHeard = await listener.hears { $0 == notification }
                #expect(isHeard, "heard \(listener.heard)")
            }
        }
    }

    @Test("a handler that releases its monitor is not called again, though more announcements wait")
    func released() async throws {
        try await laboratory { laboratory, _, _ in
            let listener = try laboratory.inside { try NetlinkListener(.links) }
            listener.handler = { [weak listener] in listener?.monitor = nil }
            // All on this thread, so that nobody reads meanwhile.
            try laboratory.nearIP("link set near up")
            try laboratory.nearIP("link set near down")
            let isHeard = await listener.hears { _ in true }
            #expect(isHeard && listener.heard.count == 1, "heard \(listener.heard)")
        }
    }

    @Test("a full socket is reported as an overrun, and the monitor continues")
    func overrun() async throws {
        try await laboratory { laboratory, _, index in
            let listener = try laboratory.inside { try NetlinkListener(.links, receiveBuffer: 1) }
            // All on this thread, so that nobody reads meanwhile.
            for _ in 0..<20 {
                try laboratory.nearIP("link set near up")
                try laboratory.nearIP("link set near down")
            }
            let overran = await listener.hears { $0 == .overran }
            #expect(overran, "heard \(listener.heard)")
            try laboratory.nearIP("link del near")
            let isHeard = await listener.hears { $0 == .linkRemoved(index) }
            #expect(isHeard, "nothing was heard after the overrun")
        }
    }
}
