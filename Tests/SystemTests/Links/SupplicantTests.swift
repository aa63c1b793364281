import Foundation
import Model
import Recovery
import TestSupport
import Testing

/// The real wpa_supplicant, on a cable in a network namespace: its wired driver needs no radio.
@MainActor
@Suite(
    "A real wpa_supplicant", .serialized, .timeLimit(.minutes(10)),
    .enabled(if: NetlinkLaboratory.isPossible, NetlinkLaboratory.requirement))
struct SupplicantTests {
    private static let program = "/usr/sbin/wpa_supplicant"
    private static let network = """
        ap_scan=0
        network={
            key_mgmt=IEEE8021X
            eap=MD5
            identity="nobody"
            password="none"
        }

        """

    /// A supplicant that has made its control socket and has a network.
    private func supplied(
        _ body: @MainActor (NetlinkLaboratory, _ directory: String, _ supplicant: Child) async throws -> Void
    ) async throws {
        let laboratory = try NetlinkLaboratory()
        let scratch = FileManager.default.temporaryDirectory.path + "/supplicant-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: scratch, withIntermediateDirectories: false)
        defer {
            laboratory.remove()
            try? FileManager.default.removeItem(atPath: scratch)
        }
        try laboratory.raiseNear()
        let directory = scratch + "/control"
        try Data("ctrl_interface=\(directory)\n\(Self.network)".utf8)
            .write(to: URL(fileURLWithPath: scratch + "/configuration"))
        let program = try Child([
            "ip", "netns", "exec", laboratory.near, Self.program, "-Dwired", "-inear",
            "-c\(scratch)/configuration",
        ])
        try eventually("it listens", detail: program.transcript) {
            FileManager.default.fileExists(atPath: directory + "/near")
                && program.standardOutput.contains("Associated with")
        }
        try await body(laboratory, directory, program)
    }

    private func reassociate(
        _ laboratory: NetlinkLaboratory, _ directory: String, timeout: Duration = .seconds(600)
    ) async throws -> Result<Void, Failure> {
        // wpa_supplicant can send its answer only to a socket of its own network namespace.
        try await outcome { done in
            try laboratory.inside {
                SupplicantControl(interface: "near", directory: directory)
                    .reassociate(timeout: timeout, done: done)
            }
        }
    }

    private func associations(_ supplicant: Child) -> Int {
        supplicant.standardOutput.components(separatedBy: "Associated with").count - 1
    }

    private func failure(_ result: Result<Void, Failure>) -> Failure? {
        if case .failure(let failure) = result { failure } else { nil }
    }

    @Test("wpa_supplicant reassociates when told to, and the interface keeps all it has")
    func associated() async throws {
        try await supplied { laboratory, directory, supplicant in
            try laboratory.nearIP("route add default via 10.9.0.1")
            let before = try shell("ip -n \(laboratory.near) route show")
            let earlier = associations(supplicant)
            #expect(failure(try await reassociate(laboratory, directory)) == nil)
            try eventually("it has associated again") { associations(supplicant) == earlier + 1 }
            #expect(try shell("ip -n \(laboratory.near) route show") == before)
        }
    }

    @Test("a wpa_supplicant that was told to disconnect stays disconnected")
    func disconnected() async throws {
        try await supplied { laboratory, directory, supplicant in
            try shell("ip netns exec \(laboratory.near) wpa_cli -p \(directory) -i near disconnect")
            let told = failure(try await reassociate(laboratory, directory))
            #expect(told?.description.contains("DISCONNECTED") == true, "\(String(describing: told))")
            #expect(associations(supplicant) == 1, "\(supplicant.transcript)")
        }
    }

    @Test("a wpa_supplicant of another network namespace does not answer, and the request times out")
    func elsewhere() async throws {
        try await supplied { _, directory, _ in
            let told = try await outcome {
                SupplicantControl(interface: "near", directory: directory)
                    .reassociate(timeout: .milliseconds(200), done: $0)
            }
            #expect(failure(told)?.kind == .timedOut)
        }
    }
}
