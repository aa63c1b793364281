import Foundation
import Testing

/// Addresses and routes of other kinds than one IPv4 address and one default route.
@Suite("All kinds of addresses and routes", .serialized, .needsRoot)
struct LayerThreeTests {
    /// For a silent gateway.
    private static let quick = ["--timeout", "2s", "--json"]
    /// For a gateway that answers, even on a busy machine.
    private static let patient = ["--timeout", "10s", "--json"]
    private let link: VirtualLink

    init() throws { link = try VirtualLink() }

    /// The link-local address of the far end.
    private func router() throws -> String {
        let text = try link.farIP("-oneline -6 address show dev \(VirtualLink.far) scope link")
        return String(try #require(text.firstMatch(of: /inet6 ([0-9a-f:]+)/)?.1))
    }

    /// Leaves the near end only IPv6, as with a router's advertisements: an address, and a default route
    /// through the router's link-local address.
    private func speakIPv6Alone(prefix: Int = 64) throws {
        try link.nearIP("-4 address flush dev \(VirtualLink.near)")
        try link.nearIP("-6 address delete fd00:77::2/64 dev \(VirtualLink.near)")
        try link.nearIP("-6 address add 2001:db8:77::2/\(prefix) dev \(VirtualLink.near) nodad")
        let route = "default via \(try router()) dev \(VirtualLink.near)"
        try link.nearIP("-6 route add \(route) proto ra metric 1024 expires 1800")
    }

    /// Adds another device to the machine. It has a carrier, and nothing answers on it.
    private func addDevice(_ name: String) throws {
        try link.nearIP("link add \(name) type veth peer name \(name)-end")
        for end in [name, "\(name)-end"] { try link.nearIP("link set \(end) up") }
    }

    private func expectHealthy(_ options: [String] = []) throws {
        let outcome = try link.run("probe", Self.patient + options)
        #expect(outcome.status == 0 && outcome.objects.last?["verdict"] as? String == "healthy", "\(outcome)")
    }

    private func expectSick(at layer: String, _ options: [String] = []) throws {
        let outcome = try link.run("probe", Self.quick + options)
        #expect(outcome.status == 1, "\(outcome)")
        #expect(outcome.objects.last?["layer"] as? String == layer, "\(outcome)")
    }

    @Test(
        "a link with IPv6 alone is judged, with an address from a router (/64) or from DHCPv6 (/128)",
        arguments: [64, 128])
    func ipv6(prefix: Int) throws {
        try speakIPv6Alone(prefix: prefix)
        try expectHealthy()
        try link.muteFarEnd()
        try expectSick(at: "gateway")
    }

    @Test("with NAT64 and CLAT, IPv4 leaves by the translator's device, and the link is judged by IPv6")
    func clat() throws {
        try speakIPv6Alone()
        try addDevice("clat")
        try link.nearIP("address add 192.0.0.1/29 dev clat")
        try link.nearIP("-4 route add default dev clat mtu 1260")
        try expectHealthy()
        try link.muteFarEnd()
        try expectSick(at: "gateway")
        let outcome = try link.run("toggle", ["--delay", "100ms", "--settle", "2s"])
        #expect(try link.nearIP("-4 route show default").contains("dev clat"), "\(outcome)")
    }

    @Test("if a tunnel takes all traffic by policy rules, the link is judged by its own gateway")
    func tunnel() throws {
        try addDevice("wg0")
        try link.nearIP("address add 10.99.0.2/32 dev wg0")
        // As wg-quick(8) does.
        try link.nearIP("route add default dev wg0 table 51820")
        try link.nearIP("rule add not fwmark 51820 table 51820")
        try link.nearIP("rule add table main suppress_prefixlength 0")
        for probe in ["auto", "icmp", "neighbour"] { try expectHealthy(["--probe", probe]) }
        try link.muteFarEnd()
        try expectSick(at: "gateway")
    }

    @Test("if a Tailscale exit node takes all traffic by policy rules, the link is judged by its own gateway")
    func exitNode() throws {
        try addDevice("tailscale0")
        try link.nearIP("address add 100.64.0.2/32 dev tailscale0")
        // As tailscaled does with an exit node: its own packets have the mark 0x80000.
        try link.nearIP("route add default dev tailscale0 table 52")
        try link.nearIP("rule add pref 5210 fwmark 0x80000/0xff0000 table main")
        try link.nearIP("rule add pref 5230 fwmark 0x80000/0xff0000 table default")
        try link.nearIP("rule add pref 5250 fwmark 0x80000/0xff0000 unreachable")
        try link.nearIP("rule add pref 5270 table 52")
        for probe in ["auto", "icmp", "neighbour"] { try expectHealthy(["--probe", probe]) }
        try link.muteFarEnd()
        try expectSick(at: "gateway")
    }

    @Test("a default route in a table of its own is restored, and its gateway is probed")
    func table() throws {
        try link.nearIP("route delete default")
        try link.nearIP("route add default via \(VirtualLink.farAddress) dev \(VirtualLink.near) table 100")
        try link.nearIP("rule add from \(VirtualLink.nearAddress) table 100")
        try expectHealthy()
        let outcome = try link.run("toggle", ["--delay", "100ms", "--settle", "5s"])
        #expect(outcome.status == 0, "\(outcome)")
        #expect(try link.nearIP("route show table 100").contains("default via \(VirtualLink.farAddress)"))
        try link.muteFarEnd()
        try expectSick(at: "gateway")
    }

    @Test("of two gateways one answer is enough, and the silence of both is a fault")
    func twoGateways() throws {
        let dead = "10.77.0.200"
        try link.nearIP("route add default via \(dead) dev \(VirtualLink.near) metric 50")
        try expectHealthy()
        try link.muteFarEnd()
        try expectSick(at: "gateway")
    }

    @Test("a better default route on another interface does not hide this link's default route")
    func wired() throws {
        try addDevice("eth0")
        try link.nearIP("address add 10.88.0.2/24 dev eth0")
        let route = "default via \(VirtualLink.farAddress) dev \(VirtualLink.near)"
        try link.nearIP("route delete \(route)")
        try link.nearIP("route add \(route) metric 600")
        try link.nearIP("route add default via 10.88.0.1 dev eth0 metric 100")
        for probe in ["auto", "icmp"] { try expectHealthy(["--probe", probe]) }
        try link.muteFarEnd()
        try expectSick(at: "gateway")
    }

    @Test("a gateway that moves to another machine or address is followed without a bounce")
    func moved() throws {
        let trace = try LinkTrace(link)
        let program = try link.start("run", ["--interval", "200ms", "--fall", "20"] + Self.quick)
        func verdicts() -> [String] {
            RunOutcome.objects(in: program.standardOutput).compactMap { $0["verdict"] as? String }
        }
        func awaitHealthy(after count: Int) throws {
            try eventually("healthy cycles", detail: program.transcript) {
                verdicts().count > count + 5 && verdicts().suffix(3) == ["healthy", "healthy", "healthy"]
            }
        }
        try awaitHealthy(after: 0)
        try link.farIP("link set \(VirtualLink.far) address 02:00:00:00:99:01")
        try awaitHealthy(after: verdicts().count)
        try link.farIP("address add 10.77.0.9/25 dev \(VirtualLink.far)")
        try link.nearIP("route replace default via 10.77.0.9 dev \(VirtualLink.near)")
        try link.farIP("address delete \(VirtualLink.farAddress)/24 dev \(VirtualLink.far)")
        try awaitHealthy(after: verdicts().count)
        #expect(try trace.isUntouched())
        program.send(SIGTERM)
        #expect(try program.outcome().status == 0)
    }

    @Test("an IPv6 address that another machine has as well is not usable")
    func duplicate() throws {
        try speakIPv6Alone()
        try link.nearIP("-6 address delete 2001:db8:77::2/64 dev \(VirtualLink.near)")
        try link.farIP("-6 address add 2001:db8:77::2/64 dev \(VirtualLink.far) nodad")
        let accept = "net.ipv6.conf.all.accept_dad=1 net.ipv6.conf.\(VirtualLink.near).accept_dad=1"
        try shell("ip netns exec \(link.nearNamespace) sysctl -q -w \(accept)")
        try link.nearIP("-6 address add 2001:db8:77::2/64 dev \(VirtualLink.near)")
        try eventually("the duplicate is detected") {
            try link.nearIP("-6 address show dev \(VirtualLink.near)").contains("dadfailed")
        }
        try expectSick(at: "address")
    }

    /// The address of a gateway behind the far end; the far end answers ARP requests for it.
    private static let gone = "10.77.0.200"

    /// Makes a machine behind the far end the gateway.
    private func useGatewayBehindFarEnd() throws {
        try link.farIP("address add \(Self.gone)/32 dev lo")
        try link.farIP("link set lo up")
        try link.nearIP("route replace default via \(Self.gone) dev \(VirtualLink.near)")
    }

    /// Now the gateway is dead, and the far end still answers ARP requests for it.
    private func answerForDeadGateway() throws {
        try link.farIP("address delete \(Self.gone)/32 dev lo")
        try link.farIP("link add elsewhere type veth peer name beyond")
        try link.farIP("link set elsewhere up")
        try link.farIP("link set beyond up")
        try link.farIP("route add \(Self.gone)/32 dev elsewhere")
        let far = VirtualLink.far
        let settings = ["conf.\(far).proxy_arp=1", "neigh.\(far).proxy_delay=0", "ip_forward=1"]
        let words = settings.map { "net.ipv4.\($0)" }.joined(separator: " ")
        try shell("ip netns exec \(link.farNamespace) sysctl -q -w \(words)")
        try link.nearIP("neighbour flush dev \(VirtualLink.near)")
    }

    @Test("behind proxy ARP a required echo probe finds a dead gateway, and the default probe not at once")
    func proxyARP() throws {
        try useGatewayBehindFarEnd()
        // The gateway answers once, so that its silence counts.
        try expectHealthy(["--probe", "+icmp"])
        _ = try link.run("reconnect", ["--probe", "+icmp"])
        try answerForDeadGateway()
        try expectHealthy()
        try expectSick(at: "gateway", ["--probe", "+icmp"])
    }

    @Test("if TCP has received nothing for half a minute, an echo decides, unless the gateway filters ICMP")
    func silence() throws {
        let (filtered, quiet) = (try VirtualLink(), try VirtualLink())
        let ignore = "net.ipv4.icmp_echo_ignore_all=1"
        try shell("ip netns exec \(filtered.farNamespace) sysctl -q -w \(ignore)")
        try useGatewayBehindFarEnd()
        let known = try link.run("reconnect", ["--probe", "icmp:\(Self.gone)"])
        try #require(known.status == 0, "\(known)")
        try answerForDeadGateway()
        let traces = try [link, filtered, quiet].map { try LinkTrace($0) }
        let options = [
            "--interval", "1s", "--recheck", "500ms", "--settle", "1s", "--timeout", "3s", "--json",
        ]
        let programs = try [link, filtered, quiet].map { try $0.start("run", options) }
        func cycles(_ position: Int) -> [[String: Any]] {
            RunOutcome.objects(in: programs[position].standardOutput)
        }
        try eventually("a bounce", within: .seconds(180), detail: programs[0].transcript) {
            cycles(0).contains { $0["action"] as? String == "bounced" }
        }
        let verdicts = cycles(0).compactMap { $0["verdict"] as? String }
        #expect(verdicts.prefix { $0 == "healthy" }.count >= 10, "\(programs[0].transcript)")
        let bounced = try #require(cycles(0).first { $0["action"] as? String == "bounced" })
        #expect(
            bounced["layer"] as? String == "gateway" && bounced["verdict"] as? String == "sick", "\(bounced)")
        #expect((bounced["reason"] as? String)?.contains("no longer an ICMP echo") == true, "\(bounced)")
        #expect(try traces[0].changes(atLeast: 2).prefix(2).map(\.isUp) == [false, true])
        for position in [1, 2] {
            try eventually("silence", within: .seconds(300), detail: programs[position].transcript) {
                cycles(position).count >= 45
            }
            #expect(cycles(position).allSatisfy { $0["verdict"] as? String == "healthy" })
            #expect(try traces[position].isUntouched())
        }
        for program in programs {
            program.send(SIGTERM)
            _ = try program.outcome()
        }
    }
}
