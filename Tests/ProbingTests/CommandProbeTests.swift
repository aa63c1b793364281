import Foundation
import Glibc
import Model
import Platform
import TestSupport
import Testing

@testable import Probing

@MainActor @Suite(.timeLimit(.minutes(10)))
struct CommandProbeTests {
    private let device = Device(index: InterfaceIndex(rawValue: 7), name: "wlan7")

    private func ask(
        _ probes: CommandProbes, _ path: String, timeout: Duration = .seconds(20), on device: Device? = nil
    ) async throws -> ProbeResult {
        try await outcome {
            probes.start(path, on: device ?? self.device, PendingProbe(timeout: timeout, $0))
        }
    }

    private func words(_ result: ProbeResult) -> String {
        switch result {
        case .answered(_, let detail): "answered: \(detail)"
        case .unanswered(let detail): "unanswered: \(detail)"
        case .neverAnswered(let detail): "never answered: \(detail)"
        case .refuted(let layer, _, let detail): "refuted (\(layer)): \(detail)"
        case .unknown(let failure): "unknown: \(failure.kind): \(failure.description)"
        }
    }

    @Test(
        "exit status 0 is healthy, 1 sick, any other unknown; the output's first line is the detail",
        arguments: [
            ("echo all is well; echo hidden", "answered: all is well"), ("exit 0", "answered: exit status 0"),
            ("echo 'no VPN'; exit 1", "refuted (internet): no VPN"),
            ("exit 1", "refuted (internet): exit status 1"),
            ("exit 3", "unknown: other: ended with status 3"),
            ("echo usage: check; exit 127", "unknown: other: ended with status 127: usage: check"),
            ("kill -KILL $$", "unknown: other: ended by signal 9"),
            ("kill -TERM $$", "unknown: other: ended by signal 15"),
        ])
    func outcomes(script: String, expected: String) async throws {
        let scripts = try CommandScripts()
        let path = try scripts.write(script)
        #expect(words(try await ask(CommandProbes(), path)) == expected)
    }

    @Test("if a program cannot be started, the result is unknown, with the reason")
    func unstartable() async throws {
        let scripts = try CommandScripts()
        let plain = try scripts.write("exit 0", mode: 0o644)
        #expect(
            words(try await ask(CommandProbes(), plain))
                == "unknown: other: could not be run: execve: Permission denied")
        let writable = try scripts.write("exit 0", mode: 0o775)
        #expect(
            words(try await ask(CommandProbes(), writable))
                == "unknown: other: not run: \(writable) is writable by its group or by others")
        #expect(
            words(try await ask(CommandProbes(), "/nonexistent/check"))
                == "unknown: other: not run: /nonexistent: No such file or directory")
        let probes = CommandProbes()
        probes.user = "nobody-of-that-name"
        #expect(
            words(try await ask(probes, plain))
                == "unknown: other: not run: there is no user 'nobody-of-that-name' in /etc/passwd")
    }

    /// A script that writes its process number, ignores TERM, and has a child that does so too.
    private static let stubborn = """
        trap '' TERM
        (while :; do /bin/sleep 0.1; done) &
        echo $$ $! >> ${0%/*}/numbers
        while :; do /bin/sleep 0.1; done
        """

    private func isGone(_ process: pid_t) -> Bool { kill(process, 0) == -1 && errno == ESRCH }

    private func numbers(_ scripts: CommandScripts) async -> [pid_t] {
        guard await eventually({ scripts.read("numbers") != nil }) else { return [] }
        return read(scripts)
    }

    private func read(_ scripts: CommandScripts) -> [pid_t] {
        (scripts.read("numbers") ?? "").split(whereSeparator: \.isWhitespace).compactMap { pid_t($0) }
    }

    @Test(
        "a command past its time-out is unknown at once, and killed two seconds later"
    )
    func stubbornCommand() async throws {
        let scripts = try CommandScripts()
        scripts.open("numbers")
        let path = try scripts.write(Self.stubborn)
        let probes = CommandProbes()
        let begun = ContinuousClock.now
        // The second run is started, and the processes are read, as soon as the first result is there: later
        // the processes might have been killed.
        var again: ProbeResult?
        var (group, early): ([pid_t], [pid_t]) = ([], [])
        let answer = words(
            try await outcome { done in
                probes.start(
                    path, on: device,
                    PendingProbe(timeout: .seconds(5)) {
                        probes.start(path, on: device, PendingProbe(timeout: .seconds(20)) { again = $0 })
                        group = read(scripts)
                        early = group.filter(isGone)
                        done($0)
                    })
            })
        #expect(answer == "unknown: timedOut: did not end in time")
        #expect(await eventually { again != nil })
        #expect(again.map(words) == "unknown: busy: not run: its last run has not ended")
        #expect(group.count == 2 && early.isEmpty, "TERM alone must not have ended it")
        let other = Device(index: InterfaceIndex(rawValue: 8), name: "wlan8")
        #expect(
            words(try await ask(probes, path, timeout: .seconds(3), on: other))
                == "unknown: timedOut: did not end in time", "another interface's is another")
        #expect(await eventually { group.allSatisfy(isGone) }, "somebody of \(group) is still there")
        #expect(ContinuousClock.now - begun >= .milliseconds(6900), "TERM is given two seconds")
        // The killed command was reaped, and no longer counts as running.
        let quick = try scripts.write("exit 0")
        #expect(words(try await ask(probes, quick)) == "answered: exit status 0")
        #expect(await eventually { (scripts.read("numbers") ?? "").split(separator: "\n").count == 2 })
        let all = await numbers(scripts)
        #expect(await eventually { all.allSatisfy(isGone) }, "somebody of \(all) is still there")
    }

    @Test("processes that a command leaves behind are ended with it")
    func leftover() async throws {
        let scripts = try CommandScripts()
        scripts.open("numbers")
        let path = try scripts.write("/bin/sleep 61 & echo $! $$ > ${0%/*}/numbers; exit 0")
        #expect(words(try await ask(CommandProbes(), path)) == "answered: exit status 0")
        let group = await numbers(scripts)
        #expect(group.count == 2)
        #expect(await eventually { group.allSatisfy(isGone) }, "somebody of \(group) is still there")
    }

    @Test("a command whose probe is cancelled is ended")
    func cancelled() async throws {
        let scripts = try CommandScripts()
        scripts.open("numbers")
        let path = try scripts.write("echo $$ > ${0%/*}/numbers; exec /bin/sleep 61")
        let pending = PendingProbe(timeout: .seconds(30)) { _ in Issue.record("nobody is to be told") }
        CommandProbes().start(path, on: device, pending)
        let process = await numbers(scripts)
        #expect(process.count == 1)
        pending.cancel()
        #expect(await eventually { process.allSatisfy(isGone) })
    }

    @Test("commands leave no descriptor open")
    func leaks() async throws {
        let scripts = try CommandScripts()
        let path = try scripts.write("exit 0")
        let probes = CommandProbes()
        let count = { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count }
        _ = try await ask(probes, path)
        let before = try count()
        for _ in 0..<50 { _ = try await ask(probes, path) }
        #expect(await eventually { (try? count()).map { $0 <= before + 10 } ?? false }, "from \(before)")
    }
}
