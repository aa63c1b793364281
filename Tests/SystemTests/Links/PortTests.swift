import Foundation
import Testing

/// The near end is a port of a bridge. The bridge has the addresses and the default route.
@Suite("Ports of a bridge", .serialized, .needsRoot)
struct PortTests {
    private static let bridge = "br0"
    /// Short time-outs.
    private static let quick = [
        "--recheck", "100ms", "--timeout", "2s", "--delay", "200ms", "--settle", "10s",
    ]

    /// Makes the link a port of a new bridge, which gets the address and the default route that `holder` has.
    private func enslave(
        _ link: VirtualLink, to bridge: String = bridge, from holder: String = VirtualLink.near
    ) throws {
        try link.nearIP("link add \(bridge) type bridge")
        try link.nearIP("link set \(bridge) up")
        try link.nearIP("address flush dev \(holder)")
        try link.nearIP("link set \(VirtualLink.near) master \(bridge)")
        try link.nearIP("address add \(VirtualLink.nearAddress)/24 dev \(bridge)")
        try eventually("the bridge is operational") {
            try link.nearIP("-oneline link show dev \(bridge)").contains(" state UP ")
        }
        try link.nearIP("route add default via \(VirtualLink.farAddress) dev \(bridge)")
    }

    private func bridged() throws -> VirtualLink {
        let link = try VirtualLink()
        try enslave(link)
        return link
    }

    private func mute(_ link: VirtualLink) throws {
        try link.muteFarEnd()
        try link.nearIP("neighbour flush dev \(Self.bridge)")
    }

    /// The detail in the evidence that is about the port's master.
    private func master(_ object: [String: Any]?) -> String? {
        let evidence = object?["evidence"] as? [[String: Any]] ?? []
        return evidence.first { $0["probe"] as? String == "master" }?["detail"] as? String
    }

    @Test("a port of a bridge whose gateway answers is healthy, and the evidence names the bridge")
    func healthy() throws {
        let link = try bridged()
        for probe in ["auto", "icmp", "neighbour"] {
            let outcome = try link.run("probe", ["--json", "--probe", probe])
            #expect(outcome.status == 0, "\(outcome)")
            #expect(
                master(outcome.objects.last) == "br0 (bridge), its traffic passes through this port",
                "\(outcome)")
        }
    }

    @Test("the service leaves a healthy port alone in every cycle")
    func left() throws {
        let link = try bridged()
        let trace = try LinkTrace(link)
        let program = try link.start(
            "run", ["--json", "--interval", "100ms"] + Self.quick + ["--timeout", "10s"])
        try eventually("thirty cycles", detail: program.transcript) {
            RunOutcome.objects(in: program.standardOutput).count >= 30
        }
        let objects = RunOutcome.objects(in: program.standardOutput)
        #expect(objects.allSatisfy { $0["verdict"] as? String == "healthy" }, "\(program.transcript)")
        #expect(try trace.isUntouched())
        try program.endService()
    }

    @Test("if the bridge's gateway is silent, the port is bounced once, with a warning about other traffic")
    func mute() throws {
        let link = try bridged()
        try link.cureFarEndByBounce()
        try mute(link)
        let trace = try LinkTrace(link)
        let outcome = try link.run("reconnect", ["--json", "--fall", "2"] + Self.quick)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.objects.last?["action"] as? String == "bounced", "\(outcome)")
        #expect(outcome.words.contains("all other traffic through br0 is interrupted, too"), "\(outcome)")
        #expect(try trace.changes(atLeast: 2).map(\.isUp) == [false, true])
        #expect(try link.nearIP("link show dev \(VirtualLink.near)").contains("master br0"))
    }

    @Test("a blocked port is judged by its carrier alone, whatever the bridge's gateway does")
    func blocked() throws {
        let link = try bridged()
        try mute(link)
        let trace = try LinkTrace(link)
        // The port is blocked last, because the kernel unblocks it after any other change of the port.
        try shell("bridge -n \(link.nearNamespace) link set dev \(VirtualLink.near) state 0")
        let outcome = try link.run("reconnect", ["--json", "--fall", "1"] + Self.quick)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(
            master(outcome.objects.last) == "br0 (bridge), no traffic passes through this port", "\(outcome)")
        #expect(try trace.isUntouched())
    }

    @Test("if its bridge is down, a port is judged by its carrier alone")
    func masterDown() throws {
        let link = try bridged()
        try link.nearIP("link set \(Self.bridge) down")
        #expect(try link.run("probe").status == 0)
    }

    @Test("a bridge that is set down is noticed at once, not at the next check")
    func masterSetDown() throws {
        let link = try bridged()
        // IPv6 is off, because the kernel would announce the loss of its addresses. The test is about the
        // announcement of the bridge itself.
        let setting = "net.ipv6.conf.\(Self.bridge).disable_ipv6=1"
        try shell("ip netns exec \(link.nearNamespace) sysctl -q -w \(setting)")
        try mute(link)
        let waits = ["--interval", "1h", "--recheck", "1h", "--timeout", "300ms", "--fall", "50"]
        let program = try link.start("run", ["--json"] + waits)
        func verdict() -> String? {
            RunOutcome.objects(in: program.standardOutput).last?["verdict"] as? String
        }
        try eventually("it is sick", detail: program.transcript) { verdict() == "sick" }
        try link.nearIP("link set \(Self.bridge) down")
        try eventually("it is judged by its carrier", detail: program.transcript) { verdict() == "healthy" }
        try program.endService()
    }

    @Test("addresses and routes that the bridge loses with its last port are restored")
    func restored() throws {
        let link = try bridged()
        // This acts like a manager that removes the addresses of a link without a carrier.
        let manager = try Listener.hook(
            in: link.nearNamespace, on: Self.bridge,
            "*\\ br0:*NO-CARRIER*) ip -n \(link.nearNamespace) address flush dev br0 ;;")
        defer { withExtendedLifetime(manager) {} }
        // The kernel announces that the bridge has lost its carrier up to a second later (net/core/link_watch.c),
        // and on a busy machine the manager takes some seconds more.
        let outcome = try link.run("toggle", ["--json", "--delay", "12s"])
        #expect(outcome.status == 0, "\(outcome)")
        let restored = outcome.objects.last?["restored"] as? [String] ?? []
        #expect(restored.contains { $0.contains(VirtualLink.nearAddress) }, "\(outcome)")
        #expect(restored.contains { $0.contains("default via") && $0.contains("br0") }, "\(outcome)")
        #expect(try link.nearIP("address show dev br0").contains(VirtualLink.nearAddress))
        #expect(try link.nearIP("route show").contains("default via \(VirtualLink.farAddress) dev br0"))
    }

    @Test("list and status name the bridge of a port")
    func named() throws {
        let link = try bridged()
        let here = ["ip", "netns", "exec", link.nearNamespace, Program.path]
        let list = try Child(here + ["list", "--any-interface"]).outcome()
        let row = list.standardOutput.split(separator: "\n").first { $0.hasPrefix(VirtualLink.near) }
        #expect(row?.contains(Self.bridge) == true, "\(list)")
        let program = try link.start("run", ["--json", "--interval", "1h"])
        try eventually("a cycle", detail: program.transcript) { program.standardOutput.contains("healthy") }
        let status = try Child(here + ["status"] + link.files.prefix(4)).outcome()
        #expect(status.standardOutput.contains("br0 (bridge)"), "\(status)")
        try program.endService()
    }

    @Test("a link that is enslaved, moved to another bridge and released is followed, and not bounced")
    func followed() throws {
        let link = try VirtualLink()
        let trace = try LinkTrace(link)
        let program = try link.start(
            "run", ["--json", "--interval", "1h", "--recheck", "300ms", "--fall", "50"])
        func isHealthy(_ master: String?) -> Bool {
            let last = RunOutcome.objects(in: program.standardOutput).last
            return last?["verdict"] as? String == "healthy"
                && self.master(last)?.prefix(3).description == master
        }
        try eventually("a first cycle", detail: program.transcript) { isHealthy(nil) }
        try enslave(link)
        try eventually("a healthy cycle as a port", detail: program.transcript) { isHealthy("br0") }
        try enslave(link, to: "br1", from: Self.bridge)
        try eventually("a healthy cycle as the other's port", detail: program.transcript) { isHealthy("br1") }
        try link.nearIP("link set \(VirtualLink.near) nomaster")
        try link.nearIP("address flush dev br1")
        try link.nearIP("address add \(VirtualLink.nearAddress)/24 dev \(VirtualLink.near)")
        try link.nearIP("route add default via \(VirtualLink.farAddress) dev \(VirtualLink.near)")
        try eventually("a healthy cycle without a master", detail: program.transcript) { isHealthy(nil) }
        #expect(try trace.isUntouched())
        try program.endService()
    }

    @Test("doctor names the port's master, and does not demand a default route of the port itself")
    func doctor() throws {
        let outcome = try bridged().run("doctor", ["--json"])
        let findings = outcome.objects.filter { $0["interface"] as? String == VirtualLink.near }
        let port = findings.first { $0["finding"] as? String == "port" }
        #expect((port?["reason"] as? String)?.hasPrefix("it is a port of br0 (bridge)") == true, "\(outcome)")
        #expect(!findings.contains { $0["finding"] as? String == "no-default-route" }, "\(outcome)")
    }
}
