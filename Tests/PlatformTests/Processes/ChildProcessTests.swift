import Foundation
import TestSupport
import Testing

@testable import Platform

@MainActor @Suite(.timeLimit(.minutes(5)))
struct ChildProcessTests {
    private func run(
        _ script: String, timeout: Duration = .seconds(20), limit: Int = 65_536,
        environment: [String: String] = [:]
    ) async throws -> (ChildProcess.Ending, String) {
        try await outcome { done in
            try ChildProcess.start(
                "/bin/sh", arguments: ["-c", script], environment: environment, timeout: timeout,
                outputLimit: limit
            ) { done(($0, String(decoding: $1, as: UTF8.self))) }
        }
    }

    @Test(
        "the end of a child is reported with its output",
        arguments: [
            ("echo a; echo b; echo hidden >&2", ChildProcess.Ending.exited(status: 0), "a\nb\n"),
            ("exit 75", .exited(status: 75), ""), ("echo a; kill -9 $$", .killed(signal: 9), "a\n"),
            ("kill -TERM $$", .killed(signal: 15), ""),
            ("cat; echo \"$A $PATH_OF_OURS\"", .exited(status: 0), "x \n"),
            ("exec >&-; exit 3", .exited(status: 3), ""),
            ("trap '' TERM; head -c 10 /dev/zero | tr '\\0' z", .exited(status: 0), "zzzzzzzzzz"),
        ])
    func ended(script: String, ending: ChildProcess.Ending, output: String) async throws {
        setenv("PATH_OF_OURS", "inherited", 1)
        let (seenEnding, seenOutput) = try await run(
            script, environment: ["A": "x", "PATH": "/usr/bin:/bin"])
        #expect(seenEnding == ending)
        #expect(seenOutput == output)
    }

    @Test("output beyond the limit is read and dropped")
    func limited() async throws {
        let (ending, output) = try await run("/usr/bin/head -c 1000000 /dev/zero", limit: 1000)
        #expect(ending == .exited(status: 0))
        #expect(output.utf8.count == 1000)
    }

    @Test("a child has its own process group, and none of the parent's descriptors or signal settings")
    func inherited() async throws {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)  // not closed on exec
        defer { for end in ends { close(end) } }
        signal(SIGUSR2, SIG_IGN)
        let (_, output) = try await run(
            """
            ls /proc/self/fd | tr '\\n' ' '; grep -E 'Sig(Blk|Ign)' /proc/self/status | tr '\\n\\t' '  '
            echo; cut -d' ' -f1,5 /proc/self/stat; echo $$; readlink /proc/self/fd/0
            """, environment: ["PATH": "/usr/bin:/bin"])
        let lines = output.split(separator: "\n")
        // 3 is the directory that ls itself reads. A program cannot reset signals 32 and 33 of the C library.
        let ours = lines[0].replacing("SigIgn: 0000000180000000", with: "SigIgn: 0000000000000000")
        #expect(ours == "0 1 2 3 SigBlk: 0000000000000000 SigIgn: 0000000000000000 ")
        #expect(lines[1].split(separator: " ")[1] == lines[2], "the shell leads the group")
        #expect(lines[3] == "/dev/null")
    }

    @Test("a child that exceeds its time-out is reported at once, and its process group is ended")
    func late() async throws {
        let (ending, output) = try await timedOut("/usr/bin/sleep 3601 & echo $! $$; wait")
        #expect(ending == .timedOut)
        let processes = output.split(whereSeparator: \.isWhitespace).compactMap { pid_t($0) }
        #expect(processes.count == 2)
        #expect(await eventually { processes.allSatisfy(Self.isGone) }, "a child is still there after 20 s")
    }

    @Test("a child that ignores TERM is killed after the grace, and reaped")
    func stubborn() async throws {
        let scratch = try Scratch()
        let (ending, output) = try await timedOut(
            "trap 'echo > \(scratch.path)/term' TERM; echo $$; while :; do /usr/bin/sleep 0.1; done")
        #expect(ending == .timedOut)
        let process = try #require(pid_t(output.trimmingCharacters(in: .whitespacesAndNewlines)))
        #expect(await eventually { Self.isGone(process) }, "it was not killed within 20 s")
        #expect(FileManager.default.fileExists(atPath: scratch.path + "/term"), "it got no TERM")
    }

    /// Runs a script that writes something and never ends. On a busy machine the shell may not even start
    /// within a short time-out, so longer ones follow.
    private func timedOut(_ script: String) async throws -> (ChildProcess.Ending, String) {
        for timeout in [Duration.milliseconds(300), .seconds(3)] {
            let (ending, output) = try await run(script, timeout: timeout)
            if !output.isEmpty { return (ending, output) }
        }
        return try await run(script, timeout: .seconds(15))
    }

    @Test("a cancelled child is ended without a report")
    func cancelled() async throws {
        var isTold = false
        let scratch = try Scratch()
        let child = try ChildProcess.start(
            "/bin/sh", arguments: ["-c", "echo $$ > \(scratch.path)/pid; exec /usr/bin/sleep 61"],
            timeout: .seconds(30)
        ) { _, _ in isTold = true }
        var process: pid_t?
        #expect(
            await eventually {
                process = SmallFile.line(scratch.path + "/pid").flatMap { pid_t($0) }
                return process != nil
            })
        child.cancel()
        child.cancel()
        #expect(await eventually { Self.isGone(process!) }, "it was not ended within 20 s")
        #expect(!isTold)
    }

    @Test(
        "starting a program that cannot be executed throws the error of posix_spawn(3)",
        arguments: [
            ("/nonexistent", ENOENT), ("/", EACCES), ("/dev/null/x", ENOTDIR),
        ])
    func unstartable(path: String, code: Int32) {
        #expect(throws: SystemError(call: "posix_spawn", code: code)) {
            try ChildProcess.start(path, arguments: [], timeout: .seconds(1)) { _, _ in
                Issue.record("nothing was started")
            }
        }
    }

    @Test("children leave no descriptor open")
    func leaks() async throws {
        let count = { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count }
        _ = try await run(":")
        let before = try count()
        for _ in 0..<100 { _ = try await run("echo") }
        #expect(await eventually { (try? count()).map { $0 <= before + 10 } ?? false }, "from \(before)")
    }

    /// Whether no process has this number, not even a zombie.
    private static func isGone(_ process: pid_t) -> Bool { kill(process, 0) == -1 && errno == ESRCH }
}
