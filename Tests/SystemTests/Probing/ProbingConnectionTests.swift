import CLinux
import Foundation
import Glibc
import Model
import Platform
import Testing

@testable import Probing

@MainActor @Suite(.enabled(if: TwoEnds.isPossible, TwoEnds.reason), .serialized, .timeLimit(.minutes(10)))
struct ProbingConnectionTests {
    let ends: TwoEnds
    init() throws { ends = try TwoEnds() }

    private func connect(_ address: String, timeout: Duration = .seconds(2)) async throws -> String {
        try await ask(.tcp(.address(IPAddress(address)!), port: 80), ends, timeout: timeout).summary
    }

    /// A socket of the far end that listens on port 80 of an address, until it is closed.
    private func listen(_ address: String) throws -> Int32 {
        let target = SocketAddress(IPAddress(address)!, port: 80, on: InterfaceIndex(rawValue: 0))
        return try ends.inside(ends.far) {
            let descriptor = socket(target.family.rawValue, Int32(SOCK_STREAM.rawValue), 0)
            #expect(target.withPointer { bind(descriptor, $0, $1) } == 0)
            #expect(Glibc.listen(descriptor, 1) == 0)
            return descriptor
        }
    }

    @Test("a connection that is accepted is an answer", arguments: ["10.9.0.2", "fd00:9::2"])
    func accepted(address: String) async throws {
        let listener = try listen(address)
        defer { close(listener) }
        let name = address.contains(":") ? "[\(address)]:80" : "\(address):80"
        #expect(try await connect(address) == "answered: \(name) accepted the connection")
    }

    @Test("a refused connection is an answer", arguments: ["10.9.0.2", "fd00:9::2"])
    func refused(address: String) async throws {
        let name = address.contains(":") ? "[\(address)]:80" : "\(address):80"
        #expect(try await connect(address) == "answered: \(name) refused, which counts as an answer")
    }

    @Test(
        "the result of a connection distinguishes a firewall at the far end from one on this machine",
        arguments: [
            ("far", "input", "drop", "unanswered: 10.9.0.2:80 did not answer"),
            (
                "far", "input", "reject with icmp type port-unreachable",
                "answered: 10.9.0.2:80 refused, which counts as an answer"
            ),
            (
                "far", "input", "reject with icmp type admin-prohibited",
                "unanswered: 10.9.0.2 reports: No route to host"
            ),
            (
                "near", "output", "reject with icmp type port-unreachable",
                "unknown: other: Connection refused"
            ),
        ])
    func firewall(end: String, hook: String, rule: String, expected: String) async throws {
        try TwoEnds.shell(
            """
            ip netns exec \(end == "far" ? ends.far : ends.near) nft '
            add table inet t; add chain inet t c { type filter hook \(hook) priority 0; }
            add rule inet t c tcp dport 80 \(rule)'
            """)
        let seen = try await connect("10.9.0.2", timeout: .milliseconds(500))
        #expect(seen == expected)
    }

    @Test("without a neighbour that answers, the connection is unanswered")
    func noNeighbour() async throws {
        try TwoEnds.shell(
            "ip netns exec \(ends.near) sh -c 'echo 50 > /proc/sys/net/ipv4/neigh/near0/retrans_time_ms'")
        #expect(try await connect("10.9.0.9") == "unanswered: the next hop did not answer: No route to host")
    }

    @Test("on a link that is down the probe is unknown")
    func down() async throws {
        try TwoEnds.shell("ip -n \(ends.near) link set near0 down")
        #expect(try await connect("10.9.0.2") == "unknown: other: Network is unreachable")
    }

    @Test("no probe is sent through an interface whose name another interface has taken")
    func renamed() async throws {
        try TwoEnds.shell("ip -n \(ends.near) link add other0 type veth peer name other1")
        let index = InterfaceIndex(rawValue: try ends.index(of: "other0"))
        let device = Device(index: index, name: "near0")
        _ = try ends.inside(ends.near) {
            #expect(throws: SystemError(call: "setsockopt", code: ENODEV)) {
                try device.socket(.v4, type: SOCK_DGRAM, protocol: 0)
            }
        }
    }
}
