import CLinux
import Glibc
import Model
import Platform
import TestSupport
import Testing

@testable import Probing

/// Echo sockets are kept from one request to the next.
@MainActor @Suite(.enabled(if: TwoEnds.isPossible, TwoEnds.reason), .serialized, .timeLimit(.minutes(10)))
struct ProbingEchoKeptTests {
    let ends: TwoEnds
    let prober = Prober(neighbours: Prober.NeighbourTable(verify: { _, _, _ in }, lookUp: { _, _, _ in }))

    init() throws {
        ends = try TwoEnds()
        prober.relyOnChangeReports()
    }

    nonisolated private static let far = ["10.9.0.2", "fd00:9::2"]

    private func near(_ script: String) throws {
        try TwoEnds.shell("ip netns exec \(ends.near) sh -ec '\(script)'")
    }

    private func usePingSockets(_ isWanted: Bool) throws {
        if isWanted { try near("echo 0 2147483647 > /proc/sys/net/ipv4/ping_group_range") }
    }

    /// Sends one request, runs `meanwhile`, and returns the result.
    private func ask(
        _ address: String, of prober: Prober? = nil, timeout: Duration = .seconds(2),
        _ meanwhile: () throws -> Void = {}
    ) async throws -> String {
        let index = InterfaceIndex(rawValue: try ends.index(of: "near0"))
        let request = ProbeRequest(
            id: 1, question: .icmp(.address(IPAddress(address)!)), timeout: timeout)
        return try await outcome { done in
            try ends.inside(ends.near) {
                (prober ?? self.prober).start(request, on: index, interfaceName: "near0", done)
            }
            try meanwhile()
        }.summary
    }

    /// The inodes of the kept sockets: no two open sockets have the same.
    private var kept: [UInt64] {
        prober.echoes.kept.values.map {
            var status = stat()
            return fstat($0.descriptor, &status) == 0 ? UInt64(status.st_ino) : 0
        }
    }

    @Test("one echo socket is used for all probes", arguments: far, [false, true])
    func reused(address: String, hasPingSockets: Bool) async throws {
        try usePingSockets(hasPingSockets)
        #expect(try await ask(address) == "answered: \(address) answered")
        let first = kept
        #expect(first.count == 1 && first != [0])
        for _ in 0..<3 { #expect(try await ask(address) == "answered: \(address) answered") }
        #expect(kept == first)
        #expect(Set(prober.echoes.kept.values.map(\.descriptor)).count == 1)
    }

    @Test("without a monitor of the kernel's changes no echo socket is kept")
    func untold() async throws {
        let other = Prober(
            neighbours: Prober.NeighbourTable(verify: { _, _, _ in }, lookUp: { _, _, _ in }))
        #expect(try await ask("10.9.0.2", of: other) == "answered: 10.9.0.2 answered")
        #expect(other.echoes.kept.isEmpty)
    }

    @Test("a change of the interface closes its echo sockets, including one in use")
    func changed() async throws {
        let index = InterfaceIndex(rawValue: try ends.index(of: "near0"))
        _ = try await ask("10.9.0.2")
        prober.networkChanged(InterfaceIndex(rawValue: index.rawValue + 1))
        #expect(kept.count == 1, "the change was another's")
        prober.networkChanged(index)
        #expect(kept.isEmpty)
        #expect(try await ask("10.9.0.2") { prober.networkChanged(nil) } == "answered: 10.9.0.2 answered")
        #expect(kept.isEmpty)
    }

    @Test("an interface made anew with the same name and index is probed by a new socket", arguments: far)
    func madeAnew(address: String) async throws {
        _ = try await ask(address)
        let first = kept
        #expect(first.count == 1)
        let index = try ends.index(of: "near0")
        // The prober is not told of the change before its next request.
        try TwoEnds.shell(
            """
            ip -n \(ends.near) link delete near0
            ip -n \(ends.near) link add near0 index \(index) type veth peer name far0 netns \(ends.far)
            ip -n \(ends.near) address add 10.9.0.1/24 dev near0
            ip -n \(ends.near) address add fd00:9::1/64 dev near0 nodad
            ip -n \(ends.far) address add 10.9.0.2/24 dev far0
            ip -n \(ends.far) address add fd00:9::2/64 dev far0 nodad
            ip -n \(ends.far) link set far0 up
            ip -n \(ends.near) link set near0 up
            for try in $(seq 300); do
                case "$(ip -n \(ends.near) -br link show near0)" in *UP*UP*) exit 0 ;; esac
                sleep 0.01
            done
            echo "the veth pair did not come up"; exit 1
            """)
        #expect(try await ask(address) == "answered: \(address) answered")
        prober.networkChanged(InterfaceIndex(rawValue: index))
        #expect(try await ask(address) == "answered: \(address) answered")
        #expect(kept.count == 1 && kept != first)
    }

    @Test("an echo socket that cannot send any more is replaced at once", arguments: [false, true])
    func dead(hasPingSockets: Bool) async throws {
        try usePingSockets(hasPingSockets)
        _ = try await ask("10.9.0.2")
        let first = kept
        // The kept socket sends from 10.9.0.1, which is deleted here.
        try near("ip address add 10.9.0.7/24 dev near0; ip address delete 10.9.0.1/24 dev near0")
        try near("ip address show dev near0 | grep -q 10.9.0.7 || ip address add 10.9.0.7/24 dev near0")
        #expect(try await ask("10.9.0.2") == "answered: 10.9.0.2 answered")
        #expect(kept.count == 1 && kept != first)
    }

    @Test("an echo reply to an older request has no effect", arguments: [false, true])
    func lateAnswer(hasPingSockets: Bool) async throws {
        try usePingSockets(hasPingSockets)
        let responder = try Responder(ends)
        #expect(try await ask("10.9.0.2") { try responder.answer() } == "answered: 10.9.0.2 answered")
        let first = kept
        #expect(first.count == 1)
        let seen = try await ask("10.9.0.2", timeout: .milliseconds(200)) { try responder.answerLast() }
        #expect(seen == "unanswered: 10.9.0.2 did not answer")
        #expect(kept.isEmpty, "what has not brought an answer is not kept")
    }

    @Test("an idle echo socket that receives anything is closed")
    func disturbed() async throws {
        let responder = try Responder(ends)
        _ = try await ask("10.9.0.2") { try responder.answer() }
        #expect(kept.count == 1)
        try responder.answerLast()
        #expect(await eventually { kept.isEmpty }, "it was not let go")
        #expect(try await ask("10.9.0.2") { try responder.answer() } == "answered: 10.9.0.2 answered")
    }

    @Test("an echo socket does not receive the echo replies of another program", arguments: far)
    func others(address: String) async throws {
        _ = try await ask(address)
        let first = kept
        let other = Prober(
            neighbours: Prober.NeighbourTable(verify: { _, _, _ in }, lookUp: { _, _, _ in }))
        for _ in 0..<3 { #expect(try await ask(address, of: other) == "answered: \(address) answered") }
        #expect(kept.count == 1 && kept == first)
    }

    @Test("the number of idle echo sockets is limited")
    func most() async throws {
        let echoes = EchoProbes(most: 1)
        echoes.isToldOfChanges = true
        let device = Device(index: InterfaceIndex(rawValue: try ends.index(of: "near0")), name: "near0")
        for address in Self.far {
            let result: ProbeResult = try await outcome { done in
                let pending = PendingProbe(timeout: .seconds(2), done)
                try ends.inside(ends.near) { try echoes.start(IPAddress(address)!, on: device, pending) }
            }
            #expect(result.summary == "answered: \(address) answered")
        }
        #expect(echoes.kept.count == 1)
    }
}

/// The far end's echo replies, sent by hand (IPv4).
@MainActor private final class Responder {
    private let descriptor: Int32
    private var last: [UInt8] = []

    init(_ ends: TwoEnds) throws {
        try TwoEnds.shell(
            "ip netns exec \(ends.far) sh -c 'echo 1 > /proc/sys/net/ipv4/icmp_echo_ignore_all'")
        descriptor = try ends.inside(ends.far) {
            socket(AF_INET, Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue), Int32(IPPROTO_ICMP))
        }
        try #require(descriptor >= 0)
        var timeout = timeval(tv_sec: 5, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    }

    isolated deinit { close(descriptor) }

    /// Takes the request that has arrived, and answers it.
    func answer() throws {
        try take()
        try send()
    }

    /// Answers the last answered request once more, without reading another one.
    func answerLast() throws { try send() }

    private func take() throws {
        var packet = [UInt8](repeating: 0, count: 512)
        while true {
            let count = recv(descriptor, &packet, packet.count, 0)
            try #require(count > 0, "no request came")
            guard let request = EchoMessage.strippingIPv4Header(Array(packet.prefix(count))),
                request.first == UInt8(ICMP_ECHO)
            else { continue }
            last = Array(request)
            break
        }
        last[0] = UInt8(ICMP_ECHOREPLY)
        (last[2], last[3]) = (0, 0)
        last.replaceSubrange(2..<4, with: EchoMessage.checksum(last).bytes)
    }

    private func send() throws {
        let near = SocketAddress(IPAddress("10.9.0.1")!, on: InterfaceIndex(rawValue: 0))
        let count = near.withPointer { sendto(descriptor, last, last.count, 0, $0, $1) }
        try #require(count == last.count)
    }
}
