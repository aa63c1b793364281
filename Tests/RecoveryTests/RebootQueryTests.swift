import Glibc
import Model
import TestSupport
import Testing

@testable import Recovery

/// A script of the test stands in for busctl, so no request reaches a bus.
@MainActor
@Suite(
    "Whether the machine could be rebooted", .timeLimit(.minutes(10)),
    .enabled(if: geteuid() == 0, "programs must be root's"))
struct RebootQueryTests {
    private let programs: OwnerPrograms
    private let scratch: Scratch

    init() throws {
        programs = try OwnerPrograms()
        scratch = try Scratch()
    }

    /// - Parameters:
    ///   - logind: a shell command that answers the question about inhibitors.
    ///   - polkit: a shell command that answers the question about the permission.
    private func play(_ logind: String, _ polkit: String) throws {
        try programs.write(
            "busctl",
            """
            case "$*" in
            *BlockInhibited) \(logind) ;;
            *CheckAuthorization*) \(polkit) ;;
            esac
            """)
    }

    /// - Parameter user: the service's user; nil: no service runs.
    private func ask(_ user: Int?, capabilities: String = "0") async throws -> RebootAccess? {
        if let user {
            try scratch.write(
                "Uid:\t\(user)\t\(user)\t\(user)\t\(user)\nCapEff:\t\(capabilities)\n", to: "proc/42/status")
        }
        var answers: [RebootAccess] = []
        RebootQuery(directories: [programs.path], root: scratch.path)
            .ask(service: user.map { _ in 42 }) { answers.append($0) }
        #expect(await eventually { !answers.isEmpty })
        return answers.count == 1 ? answers[0] : nil
    }

    @Test(
        "logind is asked for inhibitors, and polkit whether the service may reboot", arguments: [true, false])
    func asked(isAllowed: Bool) async throws {
        try play(
            "echo 's \"\(isAllowed ? "sleep" : "sleep:shutdown")\"'",
            isAllowed ? "echo '(bba{ss}) true false 0'" : "echo '(bba{ss}) false true 1 \"a\" \"true\"'")
        let answer = try await ask(993)
        #expect(
            answer
                == RebootAccess(
                    logind: .answers(isInhibited: !isAllowed), permission: isAllowed ? .given : .refused,
                    mayForce: false))
        #expect(
            programs.calls == [
                "busctl --system get-property org.freedesktop.login1 /org/freedesktop/login1"
                    + " org.freedesktop.login1.Manager BlockInhibited",
                "busctl --system call org.freedesktop.PolicyKit1 /org/freedesktop/PolicyKit1/Authority"
                    + " org.freedesktop.PolicyKit1.Authority CheckAuthorization (sa{sv})sa{ss}us unix-process 3 pid u 42"
                    + " start-time t 0 uid i 993 org.freedesktop.login1.reboot 0 0 ",
            ])
    }

    @Test("polkit is not asked if the service runs as root, or if no service runs")
    func root() async throws {
        try play("echo 's \"\"'", "exit 1")
        #expect(try await ask(0)?.permission == .given)
        #expect(try await ask(nil)?.permission == nil)
        #expect(programs.calls.count == 2)
        #expect(try await ask(0, capabilities: "400000")?.mayForce == true)
        #expect(try await ask(993, capabilities: "400000")?.mayForce == false)
    }

    @Test("if logind or polkit cannot be asked, the error is reported, except if polkit is slow")
    func absent() async throws {
        try play("exit 0", "echo 'Call failed: not activatable' >&2; exit 1")
        guard case .absent(let failure)? = try await ask(993)?.permission else {
            Issue.record("polkit is not missed")
            return
        }
        #expect(failure == "busctl ended with status 1: Call failed: not activatable")
        try play("exit 0", "exec sleep 60")
        #expect(try await ask(993)?.permission == nil)
        try play("echo 'no such name' >&2; exit 1", "exit 0")
        guard case .absent(let other)? = try await ask(993)?.logind else {
            Issue.record("logind is not missed")
            return
        }
        #expect(other == "busctl ended with status 1: no such name")
    }

    @Test(
        "only the first word after the types is polkit's answer",
        arguments: [
            ("(bba{ss}) true false 0\n", .given), ("(bba{ss}) false true 0\n", .refused), ("", nil),
            ("true", nil), ("(bba{ss}) 1", nil), ("b true", nil), ("(bba{ss}) trues", nil),
        ] as [(String, PolkitPermission?)])
    func words(output: String, permission: PolkitPermission?) {
        #expect(PolkitQuery.permission(Array(output.utf8)) == permission)
    }
}
