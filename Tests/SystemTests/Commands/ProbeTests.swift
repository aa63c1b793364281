import Foundation
import Testing

@Suite("probe", .needsRoot)
struct ProbeTests {
    static let keys: Set = [
        "time", "interface", "verdict", "layer", "reason", "evidence", "action", "methods", "method",
        "down_ms",
        "recovery_ms", "lost", "restored", "refused", "next", "degraded",
    ]

    /// Runs `probe`, and expects one JSON object, and nothing else, on standard output. If the expected
    /// verdict is healthy, the time-out is longer, because answers may be late.
    private func verdict(
        _ link: VirtualLink, _ options: [String] = [], status: Int32
    ) throws -> [String: Any] {
        let outcome = try link.run("probe", ["--json", "--timeout", status == 0 ? "10s" : "2s"] + options)
        #expect(outcome.status == status, "\(outcome)")
        #expect(outcome.objects.count == 1, "\(outcome)")
        let object = outcome.objects.first ?? [:]
        #expect(object["action"] as? String == "none", "\(outcome)")
        return object
    }

    @Test("for a healthy link the status is 0, the JSON has all keys, and nothing is changed")
    func healthy() throws {
        let link = try VirtualLink()
        let trace = try LinkTrace(link)
        let object = try verdict(link, status: 0)
        #expect(Set(object.keys) == Self.keys)
        #expect(object["interface"] as? String == VirtualLink.near)
        #expect(object["verdict"] as? String == "healthy")
        #expect(isNull(object["layer"]))
        #expect((object["reason"] as? String)?.contains(VirtualLink.farAddress) == true, "\(object)")
        #expect(isNull(object["down_ms"]))
        let evidence = object["evidence"] as? [[String: Any]] ?? []
        #expect(!evidence.isEmpty)
        for row in evidence { #expect(Set(row.keys) == ["probe", "result", "rtt_ms", "detail"]) }
        #expect(try trace.isUntouched())
    }

    @Test("for a silent gateway the status is 1, the layer gateway, and the probed address is given")
    func mute() throws {
        let link = try VirtualLink()
        try link.muteFarEnd()
        let object = try verdict(link, status: 1)
        #expect(object["verdict"] as? String == "sick")
        #expect(object["layer"] as? String == "gateway")
        #expect((object["reason"] as? String)?.contains(VirtualLink.farAddress) == true, "\(object)")
    }

    @Test("if the verdict cannot be written, the status is 73 for a healthy link, and 1 for a sick one")
    func fullDisk() throws {
        let link = try VirtualLink()
        let probe = { try link.start("probe", ["--json", "--timeout", $0], prefix: Program.withFullOutput) }
        let healthy = try probe("10s").outcome()
        #expect(healthy.status == 73, "\(healthy)")
        #expect(healthy.standardError.contains("to standard output: No space left on device"), "\(healthy)")
        try link.muteFarEnd()
        // On a busy machine, a probe may report later than the check waits for it, and the result is unknown.
        try eventually("the status is 1") { try probe("2s").outcome().status == 1 }
    }

    @Test("without a carrier the status is 1 and the layer association")
    func noCarrier() throws {
        let link = try VirtualLink()
        try link.farIP("link set \(VirtualLink.far) down")
        let object = try verdict(link, status: 1)
        #expect(object["layer"] as? String == "association")
    }

    @Test("without an address the status is 1 and the layer address")
    func noAddress() throws {
        let link = try VirtualLink()
        try link.nearIP("address flush dev \(VirtualLink.near) scope global")
        let object = try verdict(link, status: 1)
        #expect(object["layer"] as? String == "address")
    }

    @Test("without a gateway the verdict is unknown and the status 2")
    func noGateway() throws {
        let link = try VirtualLink(gateway: .none)
        let object = try verdict(link, status: 2)
        #expect(object["verdict"] as? String == "unknown")
    }

    @Test("a gateway that answers neighbour probes and drops echo requests is healthy")
    func filtering() throws {
        let link = try VirtualLink()
        try shell(
            "ip netns exec \(link.farNamespace) sysctl -q -w net.ipv4.icmp_echo_ignore_all=1")
        let object = try verdict(link, status: 0)
        #expect(object["verdict"] as? String == "healthy")
    }

    @Test("a gateway with only an IPv6 address is probed too")
    func ipv6() throws {
        let link = try VirtualLink(gateway: .none)
        try link.nearIP("-6 route add default via fd00:77::1 dev \(VirtualLink.near)")
        let object = try verdict(link, status: 0)
        #expect((object["reason"] as? String)?.contains("fd00:77::1") == true, "\(object)")
    }

    @Test(
        "with the probes none, neighbour and icmp, a healthy far end gives the verdict healthy",
        arguments: [
            "none", "neighbour", "neighbour:\(VirtualLink.farAddress)", "icmp",
            "icmp:\(VirtualLink.farAddress)",
        ])
    func answered(_ probe: String) throws {
        let link = try VirtualLink()
        let object = try verdict(link, ["--probe", probe], status: 0)
        #expect(object["verdict"] as? String == "healthy")
    }

    @Test("if a host is silent and the gateway answers, the layer is internet")
    func tcp() throws {
        let link = try VirtualLink()
        let probe = ["--probe", "tcp:\(VirtualLink.absentAddress):9"]
        try link.makeKnownTarget(answering: probe)
        let object = try verdict(link, probe, status: 1)
        #expect(object["layer"] as? String == "internet")
    }

    @Test("a host that never answered on this network is unknown, even if it answered on another")
    func stranger() throws {
        let link = try VirtualLink()
        let probe = ["--probe", "tcp:\(VirtualLink.absentAddress):9"]
        let object = try verdict(link, probe, status: 2)
        #expect(object["layer"] as? String == "internet")
        #expect((object["reason"] as? String)?.contains("never answered") == true, "\(object)")
        try link.makeKnownTarget(answering: probe)
        _ = try verdict(link, probe, status: 1)
        // Another machine is the gateway now.
        try link.farIP("link set \(VirtualLink.far) address 02:00:00:00:00:77")
        try link.nearIP("neighbour flush dev \(VirtualLink.near)")
        try shell("ip netns exec \(link.nearNamespace) ping -q -c 1 -W 2 \(VirtualLink.farAddress)")
        _ = try verdict(link, probe, status: 2)
    }

    @Test(
        "a host is asked at its next address if this link cannot send to the first",
        arguments: [
            ("icmp:two.example", "\(VirtualLink.farAddress) answered"),
            ("tcp:two.example:9", "\(VirtualLink.farAddress):9 refused, which counts as an answer"),
        ])
    func nextAddress(probe: String, detail: String) throws {
        let link = try VirtualLink()
        // The near end has an IPv6 address, but no route to this one. Another link might have one, so that
        // getent(1) puts it first.
        let names = try link.install(
            "echo '2001:db8::1 STREAM two.example'; echo '\(VirtualLink.farAddress) STREAM'", at: "getent")
        let prefix = try FarServers(link).replacing([("/usr/bin/getent", URL(fileURLWithPath: names))])
        let seen = try Evidence.of(probe, link, prefix: prefix)
        #expect(seen.result == "ok" && seen.detail == detail, "\(seen)")
    }

    @Test("probe creates no state directory")
    func keepsNothing() throws {
        let link = try VirtualLink()
        let probe = ["--probe", "icmp:\(VirtualLink.farAddress)"]
        _ = try verdict(link, probe, status: 0)
        let state = link.directory.appendingPathComponent("state")
        #expect(!FileManager.default.fileExists(atPath: state.path))
    }

    @Test("without --json the output is the verdict and a table of probes, with --quiet nothing")
    func table() throws {
        let link = try VirtualLink()
        let probe = ["--probe", "icmp:\(VirtualLink.farAddress)"]
        let outcome = try link.run("probe", probe)
        let lines = outcome.standardOutput.split(separator: "\n")
        #expect(outcome.status == 0 && outcome.standardError.isEmpty, "\(outcome)")
        #expect(lines.first?.hasPrefix("\(VirtualLink.near): healthy: ") == true, "\(outcome)")
        #expect(lines.dropFirst().first?.hasPrefix("  PROBE  ") == true, "\(outcome)")
        #expect(lines.contains { $0.hasPrefix("  icmp \(VirtualLink.farAddress)  ok  ") }, "\(outcome)")
        #expect(try link.run("probe", ["--quiet"] + probe).words.isEmpty)
        try link.nearIP("link set \(VirtualLink.near) down")
        let down = try link.run("probe", probe)
        #expect(down.status == 69 && down.standardOutput.contains("  administrative  failed  "), "\(down)")
    }

    /// JSON's null, as opposed to an absent key.
    private func isNull(_ value: Any?) -> Bool { value.map { "\($0)" == "<null>" } ?? false }
}
