import Foundation
import Model
import TestSupport
import Testing

@testable import Probing

@MainActor @Suite(.timeLimit(.minutes(10)))
struct DNSResolutionTests {
    @Test(
        "the first address of each family in the output of getent is used",
        arguments: [
            ("192.0.2.1      STREAM gateway.example\n192.0.2.1      DGRAM  \n", ["192.0.2.1"]),
            ("2001:db8::1     STREAM a\n", ["2001:db8::1"]), ("fe80::1%eth0 STREAM a\n", ["fe80::1"]),
            ("192.0.2.1 STREAM\n", ["192.0.2.1"]),
            (
                "2001:db8::1 STREAM a\n2001:db8::2 STREAM\n192.0.2.1 STREAM\n192.0.2.2 STREAM\n",
                ["2001:db8::1", "192.0.2.1"]
            ),
            ("192.0.2.1 STREAM a\nx\n2001:db8::1 RAW\n", ["192.0.2.1", "2001:db8::1"]),
        ])
    func first(output: String, expected: [String]) {
        #expect(DNSResolution.addresses(Array(output.utf8)).map(\.description) == expected)
    }

    @Test(
        "output of getent without a whole line of an address and its type gives no address",
        arguments: [
            "", "\n", "192.0.2.1", "192.0.2.1 STREAM x", "192.0.2.1\n", "192.0.2.1 NONSENSE x\n",
            "x STREAM x\n",
            "192.0.2.256 STREAM x\n", "\u{0}192.0.2.1 STREAM x\n", "% STREAM x\n", "STREAM 192.0.2.1\n",
        ])
    func none(output: String) {
        #expect(DNSResolution.addresses(Array(output.utf8)).isEmpty)
    }

    @Test("output with invalid UTF-8 gives no address")
    func bytes() {
        #expect(DNSResolution.addresses([0xff, 0xfe, 0x20, 0x0a]).isEmpty)
    }

    @Test(
        "what is no host name, or would be an option of getent, is not looked up",
        arguments: [
            "", "-h", "--help", "a b", "a\nb", "a\u{7f}", String(repeating: "a", count: 254),
        ])
    func names(name: String) {
        #expect(!DNSResolution.isPlausible(name))
        #expect(DNSResolution.isPlausible("gateway.example"))
    }

    /// The outcome of a probe whose name this shell script resolves in place of getent.
    private func resolve(_ script: String, timeout: Duration) async throws -> String {
        let program = FileManager.default.temporaryDirectory
            .appendingPathComponent("getent-\(UUID().uuidString)")
        try Data("#!/bin/sh\n\(script)\n".utf8).write(to: program)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path)
        defer { try? FileManager.default.removeItem(at: program) }
        return try await outcome { done in
            let pending = PendingProbe(timeout: timeout) { result in
                if case .unknown(let failure) = result { done(failure.description) } else { done("?") }
            }
            DNSResolution.start("host.example", program: program.path, pending) { addresses in
                pending.end(.unknown(Failure(kind: .other, description: "\(addresses)")))
            }
        }
    }

    @Test("the program is called with getent's arguments, and the address in its output is used")
    func answer() async throws {
        let script = #"test "$*" = "ahosts host.example" && echo "192.0.2.9 STREAM host.example""#
        #expect(try await resolve(script, timeout: .seconds(20)) == "[192.0.2.9]")
    }

    @Test(
        "a program that fails or exceeds the time-out leaves the name unresolved",
        arguments: [
            ("exit 2", 20_000), ("echo 192.0.2.9 STREAM x; exit 2", 20_000), ("sleep 30", 200),
        ])
    func failure(script: String, milliseconds: Int) async throws {
        let words = try await resolve(script, timeout: .milliseconds(milliseconds))
        #expect(words == "host.example could not be resolved (an address needs no name server)")
    }
}
