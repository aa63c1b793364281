import Foundation
import TestSupport
import Testing

@testable import Platform

@MainActor @Suite(.timeLimit(.minutes(10)))
struct HelperProcessTests {
    private final class Log {
        var messages: [String] = []
        var endings: [ChildProcess.Ending] = []
    }

    private let scratch: Scratch
    private let log = Log()
    init() throws { scratch = try Scratch() }

    /// Starts a shell script as the helper. Its standard input is the channel, so `printf >&0` sends a
    /// message.
    private func start(_ script: String, longest: Int = 64) throws -> HelperProcess {
        try scratch.write("#!/bin/sh\nPATH=/usr/bin:/bin\n" + script, to: "script")
        try scratch.makeProgram("helper", from: "script")
        let log = log
        return try HelperProcess.start(
            scratch.path + "/helper", longest: longest,
            received: { log.messages.append(String(decoding: $0, as: UTF8.self)) },
            ended: { log.endings.append($0) })
    }

    @Test("messages stay whole in both directions, and arrive before the report of the end")
    func messages() async throws {
        let helperProcess = try start(
            "got=$(dd bs=64 count=1 2>/dev/null); printf \"<$got>\" >&0; printf b >&0; exit 3")
        try helperProcess.send(Array("a c".utf8))
        #expect(await eventually { log.endings == [.exited(status: 3)] })
        #expect(log.messages == ["<a c>", "b"])
        #expect(throws: SystemError(call: "send", code: EPIPE)) { try helperProcess.send([1]) }
    }

    @Test("a message over the limit is delivered cut, one byte longer than the limit")
    func long() async throws {
        _ = try start("printf 0123456789 >&0", longest: 4)
        #expect(await eventually { !log.endings.isEmpty })
        #expect(log.messages == ["01234"])
    }

    @Test("the helper inherits the channel and no other descriptor or variable")
    func inherited() async throws {
        // A descriptor without FD_CLOEXEC, with a number that the shell does not use itself.
        let leak = fcntl(STDERR_FILENO, F_DUPFD, 200)
        #expect(leak >= 200)
        defer { close(leak) }
        setenv("OURS", "inherited", 1)
        _ = try start(
            """
            kinds=$(for each in 0 1 2; do readlink /proc/$$/fd/$each | sed 's/:.*//'; done | tr '\\n' ' ')
            printf "$kinds" >&0
            [ -e /proc/$$/fd/\(leak) ] && OURS="$OURS and a descriptor"
            printf "<$OURS>" >&0
            """)
        #expect(await eventually { !log.endings.isEmpty })
        #expect(log.messages == ["socket /dev/null /dev/null ", "<>"])
    }

    @Test("a helper that closes the channel and goes on running is killed")
    func deaf() async throws {
        _ = try start("exec 0</dev/null; exec sleep 60")
        #expect(await eventually { log.endings == [.killed(signal: SIGKILL)] })
    }

    @Test("a dismissed helper ends without a report, and a helper that does not end is killed")
    func dismissed() async throws {
        for script in ["read line; exit 0", "trap '' TERM HUP; while :; do sleep 60; done"] {
            let helperProcess = try start("printf $$ >&0\n" + script)
            #expect(await eventually { !log.messages.isEmpty })
            let process = try #require(pid_t(log.messages.removeFirst()))
            helperProcess.dismiss()
            #expect(await eventually { kill(process, 0) == -1 && errno == ESRCH }, "\(script)")
        }
        #expect(log.endings.isEmpty)
    }

    @Test("a helper that cannot be started throws the reason")
    func missing() {
        #expect(throws: SystemError(call: "posix_spawn", code: ENOENT)) {
            _ = try HelperProcess.start("/nonexistent", longest: 1, received: { _ in }, ended: { _ in })
        }
    }
}
