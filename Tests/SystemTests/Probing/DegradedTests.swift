import Glibc
import Testing

@Suite("A link with loss or latency", .needsRoot)
struct DegradedTests {
    private static let quick = [
        "--json", "--verbose", "--probe", "icmp", "--interval", "200ms", "--recheck", "100ms", "--timeout",
        "1500ms",
        "--delay", "200ms", "--settle", "5s", "--backoff", "1s",
    ]
    private static let lossy = "degraded by loss: "

    /// Drops incoming echo replies: those whose number modulo `cycle` is below `lost`.
    private func drop(_ lost: Int, of cycle: Int, on link: VirtualLink) throws {
        let nft = "ip netns exec \(link.nearNamespace) nft"
        try shell("\(nft) add table netdev t")
        try shell(
            "\(nft) add chain netdev t in { type filter hook ingress device \(VirtualLink.near) priority 0 ; }"
        )
        try shell("\(nft) flush chain netdev t in")
        try shell(
            "\(nft) add rule netdev t in icmp type echo-reply numgen inc mod \(cycle) < \(lost) drop")
    }

    private func dropNothing(on link: VirtualLink) throws {
        try shell("ip netns exec \(link.nearNamespace) nft delete table netdev t")
    }

    private func degraded(_ program: Child) -> [[String: Any]] {
        RunOutcome.objects(in: program.standardOutput).compactMap { $0["degraded"] as? [String: Any] }
    }

    @Test(
        "the loss of a third of the answers is logged at its start and end, and causes no bounce"
    )
    func loss() throws {
        let link = try VirtualLink()
        let trace = try LinkTrace(link)
        let program = try link.start("run", Self.quick)
        try eventually("twenty cycles", detail: program.transcript) {
            RunOutcome.objects(in: program.standardOutput).count >= 20
        }
        #expect(degraded(program).isEmpty)
        try drop(1, of: 3, on: link)
        try eventually("the link is called degraded", within: .seconds(120), detail: program.transcript) {
            program.standardError.contains(Self.lossy)
        }
        let first = try #require(degraded(program).first)
        #expect(first["by"] as? [String] == ["loss"] && first["probes"] as? Int == 20, "\(first)")
        #expect(try #require(first["loss_percent"] as? Int) >= 20, "\(first)")
        // More lost answers in a row than the number that makes a link without earlier loss sick.
        try drop(4, of: 8, on: link)
        let before = RunOutcome.objects(in: program.standardOutput).count
        try eventually("forty more cycles", within: .seconds(180), detail: program.transcript) {
            RunOutcome.objects(in: program.standardOutput).count >= before + 40
        }
        let rows = program.standardError.split(separator: "\n").filter {
            $0.contains("conclusion: sick at layer gateway, 4 in a row; health: healthy")
        }
        #expect(!rows.isEmpty, "\(program.transcript)")
        #expect(program.standardError.contains("quality: degraded by loss"), "\(program.transcript)")
        try dropNothing(on: link)
        try eventually("it is over", within: .seconds(120), detail: program.transcript) {
            program.standardError.contains("no longer degraded: ")
        }
        #expect(program.standardError.count(of: "near0: " + Self.lossy) == 1, "\(program.transcript)")
        #expect(try trace.isUntouched(), "\(program.transcript)")
        try program.endService()
    }

    @Test("if the far end of a link with loss dies, the link is bounced")
    func death() throws {
        let link = try VirtualLink()
        try link.keepDefaultRoute()
        try link.cureFarEndByBounce()
        try drop(1, of: 3, on: link)
        let program = try link.start("run", Self.quick)
        try eventually("the link is called degraded", within: .seconds(120), detail: program.transcript) {
            program.standardError.contains(Self.lossy)
        }
        let trace = try LinkTrace(link)
        try link.muteFarEnd()
        #expect(try trace.changes(atLeast: 2, within: .seconds(120)).map(\.isUp) == [false, true])
        #expect(program.standardError.contains("more than usual, because this link"), "\(program.transcript)")
        try program.endService()
    }

    @Test("late answers are logged as degradation, and cause no bounce")
    func latency() throws {
        let link = try VirtualLink()
        // Half a kilobyte a second: an echo reply of 98 bytes waits for the one before it.
        try shell(
            "ip netns exec \(link.farNamespace) tc qdisc replace dev \(VirtualLink.far) root"
                + " tbf rate 4kbit burst 100 limit 4000")
        let trace = try LinkTrace(link)
        let program = try link.start(
            "run", Self.quick + ["--interval", "100ms", "--timeout", "5s", "--degraded-latency", "50ms"])
        try eventually("the link is called degraded", within: .seconds(120), detail: program.transcript) {
            program.standardError.contains("degraded by latency: ")
        }
        let object = try #require(degraded(program).first)
        #expect(object["by"] as? [String] == ["latency"], "\(object)")
        #expect(try #require(object["rtt_ms"] as? Double) >= 50, "\(object)")
        #expect(try trace.isUntouched(), "\(program.transcript)")
        try program.endService()
    }
}
