import CLinux
import Foundation
import Glibc
import Model
import TestSupport
import Testing

@testable import Recovery

@MainActor @Suite("wpa_supplicant's control socket", .timeLimit(.minutes(10)))
struct SupplicantControlTests {
    private let peer: SupplicantPeer
    init() throws { peer = try SupplicantPeer() }

    private typealias Answers = [Result<Void, Failure>]

    /// Sends the request, lets the peer answer, and returns all reported outcomes.
    private func ask(
        _ interface: String = "wlan0", timeout: Duration = .seconds(20),
        _ answer: (String) -> [[UInt8]] = { _ in [] }
    ) async -> Answers {
        var outcomes: Answers = []
        SupplicantControl(interface: interface, directory: peer.directory)
            .reassociate(timeout: timeout) { outcomes.append($0) }
        #expect(outcomes.isEmpty, "it was told inside the call")
        #expect(await eventually { peer.serve(answer) || !outcomes.isEmpty }, "it was not told within 20 s")
        // If the outcome were reported a second time, that would happen now.
        for _ in 0..<5 {
            _ = peer.serve(answer)
            await runLoop(for: .milliseconds(2))
        }
        return outcomes
    }

    private func failure(_ outcomes: Answers) -> Failure? {
        guard outcomes.count == 1, case .failure(let failure) = outcomes[0] else { return nil }
        return failure
    }

    private func bytes(_ lines: String...) -> [[UInt8]] { lines.map { Array($0.utf8) } }

    /// Answers a command as a wpa_supplicant does that is connected and willing.
    private func willing(_ command: String) -> [[UInt8]] {
        switch command {
        case "LIST_NETWORKS": networks("0\tlab\tany\t[CURRENT]")
        case "STATUS": bytes("wpa_state=COMPLETED\n")
        default: bytes("OK\n")
        }
    }

    private func networks(_ lines: String...) -> [[UInt8]] {
        bytes((["network id / ssid / bssid / flags"] + lines).map { $0 + "\n" }.joined())
    }

    @Test("two queries and one command are sent, and events in between are not taken for replies")
    func told() async throws {
        let outcomes = await ask { command in
            bytes("<3>CTRL-EVENT-SCAN-STARTED ", "IFNAME=wlan0 <3>OK") + willing(command)
        }
        #expect(outcomes.count == 1 && failure(outcomes) == nil)
        #expect(peer.commands == ["LIST_NETWORKS", "STATUS", "REASSOCIATE"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: peer.directory) == ["wlan0"])
    }

    @Test("a supplicant that is told to stay disconnected gets no command")
    func idle() async {
        let outcomes = await ask { _ in bytes("wpa_state=DISCONNECTED\n") }
        #expect(failure(outcomes)?.kind == .other)
        #expect(peer.commands == ["LIST_NETWORKS", "STATUS"])
    }

    @Test("each network that is temporarily disabled is enabled, and no other")
    func postponed() async {
        let outcomes = await ask { command in
            command == "LIST_NETWORKS"
                ? networks(
                    "0\tlab\tany\t[TEMP-DISABLED]", "1\told\tany\t[DISABLED]", "2\tx\tany\t",
                    "3\tother\tany\t[TEMP-DISABLED]")
                : willing(command)
        }
        #expect(outcomes.count == 1 && failure(outcomes) == nil)
        #expect(
            peer.commands == [
                "LIST_NETWORKS", "DISABLE_NETWORK 0", "ENABLE_NETWORK 0", "DISABLE_NETWORK 3",
                "ENABLE_NETWORK 3",
            ])
    }

    @Test("a request that enables a network fails if a reply is missing or is a refusal")
    func postponedRefused() async {
        let answers = { (command: String) in
            command == "LIST_NETWORKS"
                ? self.networks("0\tlab\tany\t[TEMP-DISABLED]")
                : command.hasPrefix("ENABLE") ? self.bytes("FAIL\n") : []
        }
        let silent = await ask(timeout: .seconds(5)) { $0.hasPrefix("ENABLE") ? [] : answers($0) }
        #expect(failure(silent)?.kind == .timedOut)
        #expect(peer.commands == ["LIST_NETWORKS", "DISABLE_NETWORK 0", "ENABLE_NETWORK 0"])
        let refused = await ask { $0.hasPrefix("DISABLE") ? self.bytes("OK\n") : answers($0) }
        #expect(failure(refused)?.description == "wpa_supplicant refused: FAIL")
    }

    @Test(
        "a refusal is reported with the supplicant's reply",
        arguments: ["FAIL\n", "UNKNOWN COMMAND\n", "FAIL-BUSY\n"])
    func refused(_ word: String) async {
        let outcomes = await ask { $0 == "REASSOCIATE" ? bytes(word) : willing($0) }
        #expect(failure(outcomes)?.description == "wpa_supplicant refused: \(word.dropLast())")
        let atOnce = await ask { _ in bytes(word) }
        #expect(failure(atOnce)?.description == "wpa_supplicant refused: \(word.dropLast())")
    }

    @Test("a missing directory or socket, or a socket without a reader, means no supplicant")
    func absent() async throws {
        #expect(failure(await ask("wlan1"))?.kind == .unavailable)
        peer.stop()
        // A child that another test is starting may have inherited the peer's socket, and keeps it open for a
        // moment. Then the request times out, and is repeated.
        var kind = failure(await ask())?.kind
        for _ in 0..<5 where kind == .timedOut { kind = failure(await ask())?.kind }
        #expect(kind == .unavailable)
        try FileManager.default.removeItem(atPath: peer.directory)
        #expect(failure(await ask())?.kind == .unavailable)
    }

    @Test(
        "an interface name with a slash is not used as a path",
        arguments: ["", ".", "..", "../folder/wlan0", "wlan0\0"])
    func names(_ name: String) async {
        #expect(failure(await ask(name))?.kind == .unavailable)
        #expect(peer.commands.isEmpty)
    }

    @Test("a supplicant that does not reply ends the request at the deadline", arguments: [0, 1, 2])
    func silent(answers: Int) async {
        var left = answers
        let outcomes = await ask(timeout: .milliseconds(30)) { command in
            left -= 1
            return left >= 0 ? willing(command) : []
        }
        #expect(failure(outcomes)?.kind == .timedOut)
    }

    @Test(
        "a malformed reply is reported as such",
        arguments: [[], [0], [0xff, 0xff], Array("ok\n".utf8), [UInt8](repeating: 0x41, count: 60_000)])
    func rubbish(_ bytes: [UInt8]) async {
        #expect(failure(await ask { _ in [bytes] })?.kind == .lost)
        #expect(peer.commands == ["LIST_NETWORKS", "STATUS"])
        let late = await ask { $0 == "REASSOCIATE" ? [bytes] : willing($0) }
        #expect(failure(late)?.kind == .lost)
    }

    @Test("a flood of events fails the request long before the deadline")
    func flood() async {
        let begin = ContinuousClock.now
        var outcomes: Answers = []
        SupplicantControl(interface: "wlan0", directory: peer.directory)
            .reassociate(timeout: .seconds(50)) { outcomes.append($0) }
        let event = Array("<3>CTRL-EVENT".utf8)
        #expect(
            await eventually {
                peer.flood(event)
                return !outcomes.isEmpty
            })
        #expect(failure(outcomes)?.kind == .lost)
        #expect(ContinuousClock.now - begin < .seconds(20))
    }

    @Test("a file or a symbolic link in the socket's place is not used")
    func untrusted() async throws {
        let path = peer.directory + "/wlan"
        try Data().write(to: URL(fileURLWithPath: path + "1"))
        #expect(failure(await ask("wlan1"))?.description == "\(path)1 is not a socket")
        try FileManager.default.createSymbolicLink(atPath: path + "2", withDestinationPath: path + "0")
        #expect(failure(await ask("wlan2"))?.description == "\(path)2 is not a socket")
        let directory = peer.directory
        let link = directory + "-link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: directory)
        defer { try? FileManager.default.removeItem(atPath: link) }
        var outcomes: Answers = []
        SupplicantControl(interface: "wlan0", directory: link)
            .reassociate(timeout: .seconds(20)) { outcomes.append($0) }
        #expect(await eventually { !outcomes.isEmpty })
        #expect(failure(outcomes)?.kind == .unavailable)
        #expect(peer.commands.isEmpty)
    }

    @Test("a socket of another user is not used", .enabled(if: geteuid() == 0, "needs root"))
    func foreign() async throws {
        #expect(chown(peer.directory + "/wlan0", 65_534, 65_534) == 0)
        #expect(failure(await ask())?.description == "\(peer.directory)/wlan0 belongs to the user 65534")
        #expect(peer.commands.isEmpty)
    }

    @Test("three requests in a row leave no descriptor open")
    func again() async throws {
        for _ in 0..<3 { _ = await ask { willing($0) } }
        #expect(await eventually { peer.countClients() == 0 }, "sockets are left")
        #expect(peer.commands.count == 9)
    }
}
