import Foundation
import Glibc
import Model
import TestSupport
import Testing

@testable import Probing

/// Runs one probe in the near namespace, and returns its result.
@MainActor func ask(
    _ question: ProbeRequest.Question, _ ends: TwoEnds, on interface: String = "near0",
    timeout: Duration = .seconds(2), resolver: String = "/bin/false"
) async throws -> ProbeResult {
    let index = InterfaceIndex(rawValue: try ends.index(of: interface))
    let table = Prober.NeighbourTable(
        verify: { _, _, _ in Issue.record("nobody asked for a neighbour") },
        lookUp: { _, _, _ in Issue.record("nobody asked for a neighbour") })
    let prober = Prober(neighbours: table, resolver: resolver)
    return try await outcome { done in
        try ends.inside(ends.near) {
            let request = ProbeRequest(id: 1, question: question, timeout: timeout)
            prober.start(request, on: index, interfaceName: interface, done)
        }
    }
}

extension ProbeResult {
    /// The case and its text, for comparison; the round trip must be plausible.
    var summary: String {
        switch self {
        case .answered(let roundTrip, let detail):
            roundTrip > .zero && roundTrip < testTimeout ? "answered: \(detail)" : "insane: \(roundTrip)"
        case .unanswered(let detail): "unanswered: \(detail)"
        case .neverAnswered(let detail): "never answered: \(detail)"
        case .refuted(let layer, _, let detail): "refuted (\(layer)): \(detail)"
        case .unknown(let failure): "unknown: \(failure.kind): \(failure.description)"
        }
    }
}

@MainActor @Suite(.enabled(if: TwoEnds.isPossible, TwoEnds.reason), .serialized, .timeLimit(.minutes(10)))
struct ProbingEchoTests {
    let ends: TwoEnds
    init() throws { ends = try TwoEnds() }

    private func echo(_ address: String, timeout: Duration = .seconds(2)) async throws -> String {
        try await ask(.icmp(.address(IPAddress(address)!)), ends, timeout: timeout).summary
    }

    private func far(_ script: String) throws {
        try TwoEnds.shell("ip netns exec \(ends.far) sh -ec '\(script)'")
    }

    private func near(_ script: String) throws {
        try TwoEnds.shell("ip netns exec \(ends.near) sh -ec '\(script)'")
    }

    @Test(
        "an echo request is answered on raw and on ping sockets, over IPv4 and IPv6",
        arguments: ["10.9.0.2", "fd00:9::2"], [false, true])
    func reply(address: String, hasPingSockets: Bool) async throws {
        if hasPingSockets { try near("echo 0 2147483647 > /proc/sys/net/ipv4/ping_group_range") }
        #expect(try await echo(address, timeout: testTimeout) == "answered: \(address) answered")
    }

    @Test("a link-local address is probed on its own link", arguments: [false, true])
    func linkLocal(hasPingSockets: Bool) async throws {
        if hasPingSockets { try near("echo 0 2147483647 > /proc/sys/net/ipv4/ping_group_range") }
        let address = try TwoEnds.shell(
            "ip -n \(ends.far) -6 -o address show dev far0 scope link | awk '{print $4}' | cut -d/ -f1")
        #expect(try await echo(address, timeout: testTimeout) == "answered: \(address) answered")
    }

    @Test(
        "an address that is gone, or drops requests, is unanswered",
        arguments: [
            "ip address flush dev far0",
            "nft add table inet t; nft add chain inet t in { type filter hook input priority 0\\; }; "
                + "nft add rule inet t in meta l4proto icmp drop",
        ])
    func silence(fault: String) async throws {
        try far(fault)
        #expect(
            try await echo("10.9.0.2", timeout: .milliseconds(300)) == "unanswered: 10.9.0.2 did not answer")
    }

    @Test(
        "an ICMP error of the far end is reported at once", arguments: ["10.9.0.2", "fd00:9::2"],
        [false, true])
    func rejected(address: String, hasPingSockets: Bool) async throws {
        if hasPingSockets { try near("echo 0 2147483647 > /proc/sys/net/ipv4/ping_group_range") }
        try far(
            "nft add table inet t; nft add chain inet t in { type filter hook input priority 0\\; }; "
                + "nft add rule inet t in icmp type echo-request reject with icmp type host-prohibited; "
                + "nft add rule inet t in icmpv6 type echo-request reject with icmpv6 type admin-prohibited")
        let start = ContinuousClock.now
        let words = try await echo(address, timeout: .seconds(20))
        let expected = address.contains(":") ? "Permission denied" : "No route to host"
        #expect(words == "unanswered: \(address) reports: \(expected)")
        #expect(ContinuousClock.now - start < .seconds(10), "the deadline is 20 s")
    }

    @Test(
        "without a neighbour that answers, the echo request is unanswered",
        arguments: ["10.9.0.9", "fd00:9::9"])
    func noNeighbour(address: String) async throws {
        try near(
            "echo 50 > /proc/sys/net/ipv4/neigh/near0/retrans_time_ms; "
                + "echo 50 > /proc/sys/net/ipv6/neigh/near0/retrans_time_ms")
        let seen = try await echo(address, timeout: .seconds(1))
        // For IPv4 the kernel does not report the failure to sockets that are bound to an interface.
        let isReported = address.contains(":")
        let expected =
            isReported ? "the next hop did not answer: No route to host" : "\(address) did not answer"
        #expect(seen == "unanswered: " + expected)
    }

    @Test(
        "a request that cannot be sent is unknown, with the kernel's error text",
        arguments: [
            ("ip link set near0 down", "10.9.0.2", "unknown: other: Network is unreachable"),
            ("ip link set near0 down", "fd00:9::2", "unknown: other: Network is unreachable"),
            ("ip -6 address flush dev near0", "fd00:9::2", "unknown: other: Network is unreachable"),
            (
                "nft add table inet t; nft add chain inet t out { type filter hook output priority 0\\; }; "
                    + "nft add rule inet t out meta l4proto icmp drop", "10.9.0.2",
                "unknown: notPermitted: Operation not permitted"
            ),
            (
                "nft add table inet t; nft add chain inet t out { type filter hook output priority 0\\; }; "
                    + "nft add rule inet t out meta l4proto icmp reject", "10.9.0.2",
                "unknown: notPermitted: Operation not permitted"
            ),
        ])
    func unsent(fault: String, address: String, expected: String) async throws {
        try near(fault)
        let seen = try await echo(address)
        #expect(seen == expected)
    }

    @Test("a better route over another interface is not used by the probe")
    func bound() async throws {
        try TwoEnds.shell(
            """
            ip -n \(ends.near) link add near1 type veth peer name far1 netns \(ends.far)
            ip -n \(ends.near) address add 10.8.0.1/24 dev near1
            ip -n \(ends.far) address add 10.8.0.2/24 dev far1
            ip -n \(ends.far) address add 10.7.0.1/32 dev lo
            ip -n \(ends.near) link set near1 up
            ip -n \(ends.far) link set far1 up
            ip -n \(ends.near) route add 10.7.0.1 via 10.8.0.2
            ip -n \(ends.far) link set far0 down
            """)
        let question = ProbeRequest.Question.icmp(.address(IPAddress("10.7.0.1")!))
        let other = try await ask(question, ends, on: "near1").summary
        #expect(other == "answered: 10.7.0.1 answered")
        let own = try await ask(question, ends, on: "near0", timeout: .milliseconds(300))
        #expect(!own.summary.hasPrefix("answered"), "\(own)")
    }

    @Test("a thousand probes with any result leave no descriptor open")
    func leaks() async throws {
        _ = try await echo("10.9.0.2")
        let before = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
        let index = InterfaceIndex(rawValue: try ends.index(of: "near0"))
        let prober = Prober(
            neighbours: Prober.NeighbourTable(verify: { _, _, _ in }, lookUp: { _, _, _ in }))
        let targets: [ProbeRequest.Question] = [
            .icmp(.address(IPAddress("10.9.0.2")!)), .tcp(.address(IPAddress("10.9.0.2")!), port: 9),
            .icmp(.address(IPAddress("fd00:9::2")!)), .icmp(.address(IPAddress("fd00:99::2")!)),
        ]
        var cancelled = 0
        for round in 0..<250 {
            var open = targets.count
            for (number, question) in targets.enumerated() {
                let request = ProbeRequest(id: number, question: question, timeout: .seconds(5))
                try ends.inside(ends.near) {
                    prober.start(request, on: index, interfaceName: "near0") { _ in open -= 1 }
                }
            }
            let extra = ProbeRequest(id: 100 + round, question: targets[0], timeout: .seconds(5))
            try ends.inside(ends.near) {
                prober.start(extra, on: index, interfaceName: "near0") { _ in cancelled += 1 }
            }
            prober.cancel(100 + round, on: index)
            try #require(await eventually { open == 0 })
        }
        #expect(cancelled == 0, "a cancelled probe was told")
        let after = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
        #expect(after <= before + 5, "\(after) descriptors after, \(before) before")
    }
}
