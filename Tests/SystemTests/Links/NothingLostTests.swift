import Foundation
import Testing

/// A bounce loses nothing that an administrator has configured: the tests compare the output of `ip` before
/// and after it.
@Suite("What a bounce restores", .serialized, .needsRoot)
struct NothingLostTests {
    /// Everything that `ip` shows of what a bounce could lose. Times are left out. Routes are sorted, because
    /// the order of routes to different destinations has no meaning; addresses are not sorted, because theirs
    /// has one.
    private func state(_ link: VirtualLink) throws -> String {
        let routes = try ["-4", "-6"].map { family in
            let lines = try link.nearIP("-details \(family) route show table all").split(separator: "\n")
            // Indented lines belong to the route above them.
            return lines.reduce(into: [String]()) { routes, line in
                if line.hasPrefix("\t"), let last = routes.indices.last {
                    routes[last] += "\n" + line
                } else {
                    routes.append(String(line))
                }
            }.sorted().joined(separator: "\n")
        }
        let rest = try [
            "-details nexthop show", "address show", "neighbour show nud permanent",
            "-4 neighbour show proxy",
            "-6 neighbour show proxy",
        ].map { try link.nearIP($0) }
        return
            (routes + [rest[0], rest[1]]
            + rest.dropFirst(2).map { $0.split(separator: "\n").sorted().joined() })
            .joined(separator: "\n==\n")
            .replacing(/(expires|unbalanced_time|preferred_lft) [0-9.]+(sec)?/) { "\($0.output.1) passing" }
    }

    /// Expects the same state after `toggle` as before it.
    private func expectNothingLost(
        _ commands: [String], restoring count: Int, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let link = try VirtualLink()
        try link.nearIP("link add other0 type veth peer name other1")
        for name in ["other0", "other1"] { try link.nearIP("link set \(name) up") }
        try link.nearIP("address add 10.20.0.1/24 dev other0")
        try link.nearIP("address add fd20::1/64 dev other0 nodad")
        for command in commands { try link.nearIP(command) }
        let before = try state(link)
        let outcome = try link.run("toggle", ["--delay", "0", "--probe", "none"])
        #expect(outcome.status == 0, "\(outcome)", sourceLocation: sourceLocation)
        #expect(!outcome.words.contains("still missing"), "\(outcome)", sourceLocation: sourceLocation)
        let restored = outcome.words.split(separator: "\n").count { $0.contains("restored: ") }
        #expect(restored >= count, "\(outcome)", sourceLocation: sourceLocation)
        var after = ""
        try eventually(
            "all is as it was", detail: "before:\n\(before)\nafter:\n\(after)\n\(outcome)"
        ) {
            after = try state(link)
            return after == before
        }
    }

    @Test("routes of every kind are restored as they were")
    func routes() throws {
        try expectNothingLost(
            [
                "route add 192.0.2.0/24 via 10.77.0.1 metric 50 table 100",
                "route add 198.51.100.0/24 nexthop via 10.77.0.1 dev near0 nexthop via 10.20.0.9 dev other0 weight 2",
                "route add 198.51.101.0/24 via 10.20.0.9 dev other0 src 10.77.0.2",
                "route add 198.51.102.0/24 via 192.0.2.99 dev near0 onlink",
                "route add 198.51.103.0/24 via inet6 fe80::1 dev near0",
                "route add 198.51.104.0/24 encap ip id 5 dst 10.77.0.1 via 10.77.0.1 dev near0",
                "route add 198.51.106.0/24 tos 8 via 10.77.0.1 mtu lock 1280 advmss 1000 rtt 100ms",
                "route add 198.51.107.9 dev near0 scope link proto static src 10.77.0.2",
                "route add 198.51.108.0/24 via 198.51.107.9",
                "route add 198.51.109.0/24 nexthop via 10.77.0.1 dev near0 nexthop via 10.77.0.9 dev near0 weight 3",
                "route append 198.51.106.0/24 tos 8 via 10.77.0.9",
                "route add multicast 239.1.0.0/16 dev near0",
                "-6 route add default via fd00:77::1 dev near0 metric 7",
                "-6 route add 2001:db8:1::/48 via fe80::1 dev near0 pref high",
                "-6 route add 2001:db8:2::/48 nexthop via fd00:77::1 dev near0 nexthop via fd20::9 dev other0",
                "-6 route add 2001:db8:3::/48 via fd20::9 dev other0 src fd00:77::2",
                "-6 route add 2001:db8:4::/48 via fd00:77::1 expires 300",
                "-6 route add 2001:db8:5::/48 nexthop via fd00:77::1 nexthop via fd00:77::9 weight 3",
                "-6 route add 2001:db8:6::/48 encap seg6 mode encap segs fd00:77::9 dev near0",
                "-6 route add 2001:db8:7::/48 from fd00:77::/64 via fd00:77::1 dev near0 mtu 1300",
                "-6 route add local 2001:db8:8::1 dev near0",
            ], restoring: 16)
    }

    @Test("nexthop objects are restored before their routes, and a group gets back a lost member")
    func nextHopObjects() throws {
        try expectNothingLost(
            [
                "nexthop add id 1 via 10.77.0.1 dev near0", "nexthop add id 2 via 10.20.0.9 dev other0",
                "nexthop add id 3 group 1/2,5", "nexthop add id 5 via fd00:77::1 dev near0",
                "nexthop add id 6 dev near0 proto static", "nexthop add id 9 group 5",
                "nexthop add id 7 group 1 type resilient buckets 32 idle_timer 100 unbalanced_timer 100",
                "nexthop add id 10 group 1/2 type resilient buckets 32",
                "nexthop add id 11 encap ip dst 10.77.0.1 via 10.77.0.1 dev near0",
                "nexthop add id 12 via 192.0.2.77 dev near0 onlink",
                "route add 203.0.113.0/24 nhid 3", "route add 203.0.114.0/24 nhid 1",
                "route add 203.0.115.0/24 nhid 7", "route add 203.0.116.0/24 nhid 10",
                "route add 203.0.117.0/24 nhid 11", "-6 route add 2001:db8:20::/48 nhid 5",
                "-6 route add 2001:db8:21::/48 nhid 9",
            ], restoring: 14)
    }

    @Test("addresses are restored with all attributes, in their order")
    func addresses() throws {
        try expectNothingLost(
            [
                "address add 10.77.0.4/24 dev near0 label near0:x",
                "address add 10.8.0.1 peer 10.8.0.2/32 dev near0",
                "address add 10.7.0.1/24 brd + dev near0 noprefixroute metric 5",
                "address add fd00:77::3/64 dev near0 nodad", "address add fd00:77::4/64 dev near0 nodad",
                "address add fd78::2/64 dev near0 noprefixroute home nodad",
                "address add fd7a::2 peer fd7a::3 dev near0 nodad",
                "address add fd7b::2/64 dev near0 metric 77 nodad",
                "address add fd7c::2/64 dev near0 mngtmpaddr nodad",
                "address add fd7d::2/64 dev near0 preferred_lft 0 nodad",
                "address add fe80::77/64 dev near0 nodad",
                "route add 192.0.2.0/24 dev near0 src 10.77.0.4",
                "-6 route add 2001:db8::/32 via fd00:77::1 dev near0 src fd00:77::3",
            ], restoring: 10)
    }

    @Test("permanent and proxy neighbours are restored, learned ones are reported")
    func neighbours() throws {
        try expectNothingLost(
            [
                "neighbour add 10.77.0.50 lladdr 02:00:00:00:00:50 dev near0 nud permanent",
                "neighbour add fd00:77::50 lladdr 02:00:00:00:00:50 dev near0 nud permanent router",
                "neighbour add proxy 10.77.0.60 dev near0",
                "neighbour add proxy fd00:77::60 dev near0 router",
            ], restoring: 4)
        let link = try VirtualLink()
        try link.nearIP(
            "neighbour add 10.77.0.51 lladdr 02:00:00:00:00:51 dev near0 nud permanent extern_learn")
        try link.nearIP("nexthop add id 4 via 10.77.0.1 dev near0 proto zebra")
        let outcome = try link.run("toggle", ["--delay", "0", "--probe", "none"])
        #expect(outcome.words.contains("still missing: neighbour 10.77.0.51 "), "\(outcome)")
        #expect(
            outcome.words.contains("still missing: nexthop id 4 via 10.77.0.1 dev near0 proto zebra"),
            "\(outcome)")
        #expect(try !link.nearIP("neighbour show nud permanent").contains("10.77.0.51"))
    }
}
