import Foundation
import Testing

/// `dns:` against real name servers at the far end.
@Suite("DNS probes", .needsRoot)
struct HelperNameTests {
    let link: VirtualLink
    let far: FarServers

    init() throws {
        link = try VirtualLink()
        far = try FarServers(link)
    }

    private func ask(_ name: String, at server: String = FarServers.server) throws -> Evidence {
        try Evidence.of("dns:\(name)@\(server)", link)
    }

    @Test("an answer, a refusal, a missing name and a wrong address are told apart")
    func answers() throws {
        try far.serveNames()
        let server = FarServers.server
        for (name, result, detail) in [
            ("public.example", "ok", "\(server) says public.example is at 93.184.216.34"),
            ("six.example", "ok", "\(server) says six.example is at 2606:2800:220:1::1"),
            ("nas.lan", "ok", "\(server) says nas.lan is at 10.1.2.3"),
            ("gone.example", "failed", "gone.example: \(server) says that there is no such name (NXDOMAIN)"),
            ("unheard.example", "failed", "unheard.example: \(server) refuses to answer (REFUSED)"),
            ("lie.example", "failed", "\(server) gives a false answer: lie.example is at 127.0.0.1"),
            ("zero.example", "failed", "\(server) gives a false answer: zero.example is at 0.0.0.0"),
            ("private.example", "failed", "\(server) gives a false answer: private.example is at 10.1.2.3"),
        ] {
            let seen = try ask(name)
            #expect(seen.result == result && seen.detail == detail, "\(seen)")
            #expect(
                seen.status == (result == "ok" ? 0 : 1) && seen.layer == (result == "ok" ? nil : "dns"),
                "\(seen)")
        }
        // A configured server with a private address may be asked about names of its own network.
        let inside = try ask("private.example", at: VirtualLink.farAddress)
        #expect(inside.result == "ok", "\(inside)")
    }

    @Test(
        "a name server is asked at its IPv6 address, also at a link-local one",
        arguments: [VirtualLink.farAddressIPv6, FarServers.linkLocalServer])
    func overIPv6(server: String) throws {
        try far.serveNames()
        let named = try ask("public.example", at: server)
        let detail = "\(server) says public.example is at 93.184.216.34"
        #expect(named.result == "ok" && named.detail == detail, "\(named)")
        let known = try far.resolverConfiguration("nameserver \(server)%\(VirtualLink.near)\n")
        let configured = try Evidence.of("dns:public.example", link, prefix: far.replacing([known]))
        #expect(configured.result == "ok" && configured.detail == detail, "\(configured)")
    }

    @Test(
        "a server that fails, sends nonsense or knows no address is reported as such",
        arguments: [
            ("servfail", "failed to answer (SERVFAIL)"), ("garbage", "sent a malformed answer"),
            ("empty", "knows no address of it"),
        ])
    func wrong(way: String, words: String) throws {
        try far.serveNames(wrongly: way)
        let seen = try ask("public.example", at: VirtualLink.farAddress)
        #expect(seen.result == "failed" && seen.layer == "dns", "\(seen)")
        #expect(seen.detail == "public.example: \(VirtualLink.farAddress) \(words)", "\(seen)")
    }

    @Test(
        "no server is a fault; the silence of a new one, or this machine's firewall, makes the probe unknown")
    func silence() throws {
        let none = try ask("public.example")
        #expect(none.result == "failed" && none.layer == "dns", "\(none)")
        #expect(none.detail == "\(FarServers.server) does not serve names: Connection refused", "\(none)")

        let rule = { (hook: String, verdict: String) in
            "table inet t { chain c { type filter hook \(hook) priority 0; udp dport 53 \(verdict); }; }"
        }
        try far.rules(in: link.farNamespace, rule("input", "drop"))
        let dropped = try ask("public.example")
        // The target has never answered before, so its silence proves nothing.
        let silence = "did not answer; the target has never answered on this network"
        #expect(dropped.result == "unknown" && dropped.layer == "dns", "\(dropped)")
        #expect(dropped.detail == "\(FarServers.server) \(silence)", "\(dropped)")

        try far.rules(in: link.nearNamespace, rule("output", "reject with icmp type port-unreachable"))
        let ours = try ask("public.example")
        #expect(ours.result == "unknown" && ours.status == 2, "\(ours)")
    }

    @Test("name servers are read from the machine's configuration; without any the probe is unknown")
    func configured() throws {
        try far.serveNames()
        let known = try far.resolverConfiguration("nameserver 127.0.0.1\nnameserver \(FarServers.server)\n")
        let seen = try Evidence.of("dns:public.example", link, prefix: far.replacing([known]))
        #expect(seen.detail == "\(FarServers.server) says public.example is at 93.184.216.34", "\(seen)")
        let lie = try Evidence.of("dns:private.example", link, prefix: far.replacing([known]))
        #expect(lie.result == "failed" && lie.layer == "dns", "\(lie)")

        let unknown = try far.resolverConfiguration("nameserver 127.0.0.1\n")
        let none = try Evidence.of("dns:public.example", link, prefix: far.replacing([unknown]))
        #expect(none.result == "unknown" && none.status == 2, "\(none)")
        #expect(none.detail.hasPrefix("no name server of \(VirtualLink.near) is known"), "\(none)")
    }

    @Test("a resolver on this machine is not asked unless it is named, whatever its address")
    func onThisMachine() throws {
        try far.serveNames()
        try link.nearIP("link set lo up")
        try link.nearIP("address add 10.77.0.9/24 dev \(VirtualLink.near)")
        let own = [VirtualLink.nearAddress, "10.77.0.9", "fd00:77::2"]
        let lines = own.map { "nameserver \($0)\n" }.joined()
        let alone = try far.resolverConfiguration(lines)
        let none = try Evidence.of("dns:public.example", link, prefix: far.replacing([alone]))
        #expect(none.result == "unknown" && none.status == 2, "\(none)")
        #expect(none.detail.hasPrefix("no name server of \(VirtualLink.near) is known"), "\(none)")

        let both = try far.resolverConfiguration(
            "nameserver \(own[0])\nnameserver \(FarServers.server)\n")
        let other = try Evidence.of("dns:gone.example", link, prefix: far.replacing([both]))
        let detail = "gone.example: \(FarServers.server) says that there is no such name (NXDOMAIN)"
        #expect(other.result == "failed" && other.detail == detail, "\(other)")

        let named = try ask("public.example", at: own[0])
        #expect(named.result != "ok" && named.detail.contains(own[0]), "\(named)")
    }

    @Test("a resolver on this machine that does not run is a fault", arguments: ["127.0.0.1", "::1"])
    func deadResolver(server: String) throws {
        try link.nearIP("link set lo up")
        let seen = try ask("public.example", at: server)
        #expect(seen.result == "failed" && seen.layer == "dns", "\(seen)")
        #expect(seen.detail == "\(server) does not serve names: Connection refused", "\(seen)")
    }

    @Test("queries leave by the probed interface, though another one has the better route")
    func bound() throws {
        try far.serveNames()
        try far.servePages()
        // A second cable to the same far end has a route of its own to the server, and the best default
        // route.
        try shell(
            "ip link add near1 netns \(link.nearNamespace) type veth peer name far1 netns \(link.farNamespace)"
        )
        try link.farIP("address add 10.78.0.1/24 dev far1")
        try link.farIP("link set far1 up")
        try link.nearIP("address add 10.78.0.2/24 dev near1")
        try link.nearIP("link set near1 up")
        try link.nearIP("route replace \(FarServers.server)/32 via 10.78.0.1 dev near1")
        try link.nearIP(
            "route replace default via \(VirtualLink.farAddress) dev \(VirtualLink.near) metric 200")
        try link.nearIP("route del default via \(VirtualLink.farAddress) dev \(VirtualLink.near) metric 0")
        try link.nearIP("route add default via 10.78.0.1 dev near1 metric 100")
        let counters = ["far0", "far1"].map {
            "iifname \($0) meta l4proto { tcp, udp } th dport { 53, 80 } counter"
        }
        try far.rules(
            in: link.farNamespace,
            "table inet c { chain i { type filter hook input priority -10; \(counters.joined(separator: "; ")); }; }"
        )
        let resolver = try far.resolverConfiguration("nameserver \(FarServers.server)\n")
        let name = try Evidence.of("dns:public.example@\(FarServers.server)", link)
        #expect(name.result == "ok", "\(name)")
        let page = try Evidence.of(
            "http:http://\(FarServers.host)/204", link, prefix: far.replacing([resolver]))
        #expect(page.result == "ok", "\(page)")
        let listing = try shell("ip netns exec \(link.farNamespace) nft list chain inet c i")
        let lines = listing.split(separator: "\n").filter { $0.contains("counter") }
        #expect(
            lines.count == 2 && !lines[0].contains("packets 0") && lines[1].contains("packets 0 "),
            "\(listing)")
    }
}
