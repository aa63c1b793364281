import Glibc
import Model
import TestSupport
import Testing

@testable import Recovery

/// A script of the test stands in for busctl, so no request reaches a bus.
@MainActor
@Suite(
    "Whether the service may restart an owner", .timeLimit(.minutes(10)),
    .enabled(if: geteuid() == 0, "programs must be root's"))
struct RestartQueryTests {
    private let programs: OwnerPrograms
    private let scratch: Scratch

    init() throws {
        programs = try OwnerPrograms()
        scratch = try Scratch()
        try run(in: "iwd.service")
    }

    /// - Parameter unit: the unit in which the owner's process runs.
    private func run(in unit: String) throws {
        try scratch.write("0::/system.slice/\(unit)\n", to: "proc/7/cgroup")
    }

    /// - Parameters:
    ///   - user: the service's user; nil: no service runs.
    ///   - polkit: a shell command that answers the question.
    private func ask(
        _ user: Int? = 993, _ manager: ServiceManager = .systemd, process: Int32? = 7,
        polkit: String = "echo '(bba{ss}) false false 0'"
    ) async throws -> RestartAccess? {
        try programs.write("busctl", polkit)
        if let user {
            try scratch.write("Uid:\t\(user)\t\(user)\t\(user)\t\(user)\nCapEff:\t0\n", to: "proc/42/status")
        }
        var ownership = Ownership()
        ownership.station = Ownership.Part([Ownership.Claim(.iwd, "seen", process: process)])
        var answers: [RestartAccess?] = []
        RestartQuery(manager, directories: [programs.path], root: scratch.path)
            .ask(service: user.map { _ in 42 }, "wlan0", ownership) { answers.append($0) }
        #expect(await eventually { !answers.isEmpty })
        return answers.count == 1 ? answers[0] : nil
    }

    @Test("polkit is asked as systemd asks it before a restart, and each of its answers is reported")
    func asked() async throws {
        #expect(try await ask() == RestartAccess(unit: "iwd.service", permission: .refused))
        #expect(
            programs.calls == [
                "busctl --system call org.freedesktop.PolicyKit1 /org/freedesktop/PolicyKit1/Authority"
                    + " org.freedesktop.PolicyKit1.Authority CheckAuthorization (sa{sv})sa{ss}us unix-process 3 pid u"
                    + " 42 start-time t 0 uid i 993 org.freedesktop.systemd1.manage-units 2 unit"
                    + " iwd.service verb restart 0 "
            ])
        #expect(try await ask(polkit: "echo '(bba{ss}) true false 0'")?.permission == .given)
        #expect(
            try await ask(polkit: "echo 'Call failed' >&2; exit 1")?.permission
                == .absent("busctl ended with status 1: Call failed"))
    }

    @Test(
        "polkit is not asked for root, without a service or a known unit, or about an administrator's unit"
    )
    func notAsked() async throws {
        #expect(try await ask(0) == nil)
        #expect(try await ask(nil) == nil)
        #expect(try await ask(993, .openRC) == nil)
        #expect(try await ask(process: nil) == nil)
        try run(in: "my-wifi.service")
        #expect(try await ask() == nil)
        #expect(programs.calls.isEmpty)
    }
}
