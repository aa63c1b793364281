import Glibc
import TestSupport
import Testing

@testable import Platform

@MainActor @Suite(.timeLimit(.minutes(10)))
struct SandboxedProgramTests {
    /// A program that writes for ever.
    private static let endless = SandboxedProgram("/usr/bin/yes", environment: [:], account: nil)

    @Test("a program that is cancelled before it has begun still receives TERM")
    func cancelledAtOnce() async throws {
        for _ in 0..<20 {
            let end: ChildProcess.Ending = try await outcome { done in
                let child = try ChildProcess.start(
                    Self.endless, timeout: .seconds(30), outputLimit: 10, gone: done,
                    completion: { _, _ in Issue.record("nobody is to be told") })
                child.cancel()
            }
            #expect(end == .killed(signal: SIGTERM))
        }
    }

    @Test(
        "a program that cannot be started reports which step failed",
        arguments: [("/nonexistent", ENOENT), ("/", EACCES), ("/dev/null/x", ENOTDIR)])
    func unstartable(path: String, code: Int32) async throws {
        let program = SandboxedProgram(path, environment: [:], account: nil)
        #expect(try await run(program) == .notStarted(SystemError(call: "execve", code: code)))
    }

    @Test("a program is started as another user only with the right to change users")
    func users() async throws {
        let account = UserAccount(user: 65534, group: 65534)
        let program = SandboxedProgram("/usr/bin/true", environment: [:], account: account)
        let ending = try await run(program)
        #expect(
            ending
                == (Capabilities.includeChangingUsers
                    ? .exited(status: 0) : .notStarted(SystemError(call: "setgroups", code: EPERM))))
    }

    private func run(_ program: SandboxedProgram) async throws -> ChildProcess.Ending {
        try await outcome { done in
            try ChildProcess.start(program, timeout: .seconds(20), outputLimit: 10, gone: { _ in }) {
                ending, _ in done(ending)
            }
        }
    }
}
