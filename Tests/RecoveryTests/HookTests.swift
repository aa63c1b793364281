import Foundation
import Glibc
import Model
import Platform
import TestSupport
import Testing

@testable import Recovery

@MainActor
@Suite(
    "The hook method", .timeLimit(.minutes(5)), .enabled(if: geteuid() == 0, "its file must be root's"))
struct HookTests {
    private func run(
        _ hook: Hook, _ path: String, as user: String? = nil, timeout: Duration = .seconds(20)
    ) async throws -> Failure? {
        var isInside = true
        let result = try await outcome { done in
            hook.run(path, for: "wlan7", as: user, timeout: timeout) {
                #expect(!isInside, "it was told inside the call")
                done($0)
            }
            isInside = false
        }
        if case .failure(let failure) = result { return failure }
        return nil
    }

    @Test(
        "exit status 0 is success; any other is a failure, with the output's first line as the detail",
        arguments: [
            ("exit 0", nil), ("echo reloaded", nil), ("exit 1", "the hook ended with status 1"),
            ("echo no module; echo hidden; exit 2", "the hook ended with status 2: no module"),
            ("kill -KILL $$", "the hook was ended by signal 9"),
        ])
    func outcomes(script: String, expected: String?) async throws {
        let scripts = try CommandScripts()
        #expect(try await run(Hook(), try scripts.write(script))?.description == expected)
    }

    @Test(
        "the hook gets the interface's name, keeps the capabilities, and inherits only standard descriptors")
    func powers() async throws {
        let scripts = try CommandScripts()
        let path = try scripts.write(
            "(echo $INTERFACE; id -u; grep CapEff /proc/self/status; ls /proc/self/fd | wc -l) > ${0%/*}/told"
        )
        #expect(try await run(Hook(), path) == nil)
        let own = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
            .split(separator: "\n").first { $0.hasPrefix("CapEff") }
        let told = (scripts.read("told") ?? "").split(separator: "\n")
        #expect(told.count == 4)
        #expect(told.prefix(3) == ["wlan7", "0", own ?? ""])
        // Standard input, output and error, and the directory that ls reads.
        #expect(told.last == "4")
    }

    @Test("a hook that runs as another user has no capabilities")
    func user() async throws {
        let scripts = try CommandScripts()
        scripts.open("told")
        let path = try scripts.write("(id -u; grep CapEff /proc/self/status) > ${0%/*}/told")
        #expect(try await run(Hook(), path, as: "nobody") == nil)
        #expect(scripts.read("told") == "65534\nCapEff:\t0000000000000000\n")
        let unknown = try await run(Hook(), path, as: "nobody-of-that-name")
        #expect(unknown?.description.contains("there is no user 'nobody-of-that-name'") == true)
    }

    @Test("a missing hook is unavailable, and a hook that others could have written is not run")
    func trusted() async throws {
        let scripts = try CommandScripts()
        let missing = try await run(Hook(), scripts.path + "/none")
        #expect(missing?.kind == .unavailable)
        let writable = try scripts.write("echo run > ${0%/*}/told", to: "writable", mode: 0o775)
        #expect(
            try await run(Hook(), writable)?.description
                == "the hook was not run: \(writable) is writable by its group or by others")
        let foreign = try scripts.write("echo run > ${0%/*}/told", to: "foreign")
        #expect(chown(foreign, 65_534, 65_534) == 0)
        #expect(
            try await run(Hook(), foreign)?.description
                == "the hook was not run: \(foreign) belongs to the user 65534")
        #expect(try await run(Hook(), foreign, as: "nobody")?.kind == .other, "not even as its owner")
        let plain = try scripts.write("exit 0", to: "plain", mode: 0o644)
        #expect(try await run(Hook(), plain)?.kind == .other)
        #expect(scripts.read("told") == nil)
    }

    @Test(
        "a hook past its time-out is reported at once and killed, and a second run beside it is refused",
        arguments: [nil, "nobody"])
    func stubborn(user: String?) async throws {
        let scripts = try CommandScripts()
        scripts.open("numbers")
        let path = try scripts.write(
            """
            [ -e ${0%/*}/healed ] && exit 0
            trap '' TERM
            (while :; do /bin/sleep 0.1; done) &
            echo $$ $! >> ${0%/*}/numbers
            while :; do /bin/sleep 0.1; done
            """)
        let hook = Hook()
        // The second run is requested as soon as the first is reported: later the first might have ended.
        var second: Result<Void, Failure>?
        // On a busy machine a shell may take long to start.
        let first = try await outcome { done in
            hook.run(path, for: "wlan7", as: user, timeout: .seconds(8)) {
                done($0)
                hook.run(path, for: "wlan7", as: user, timeout: .seconds(4)) { second = $0 }
            }
        }
        #expect(first.failure == Failure(kind: .timedOut, description: "the hook did not end in time"))
        let numbers = (scripts.read("numbers") ?? "").split(whereSeparator: \.isWhitespace)
            .compactMap { pid_t($0) }
        #expect(numbers.count == 2)
        #expect(await eventually { second != nil })
        #expect(second?.failure?.kind == .busy)
        #expect(await eventually { numbers.allSatisfy { kill($0, 0) == -1 && errno == ESRCH } })
        scripts.open("healed")
        #expect(await eventually { kill(numbers[0], 0) == -1 })
        var again = try await run(hook, path, as: user)
        while again?.kind == .busy { again = try await run(hook, path, as: user) }
        #expect(again == nil, "it can be run again when it is gone")
    }

    @Test("a hook that is cancelled reports nothing, and the hook of another interface is not ended")
    func cancelled() async throws {
        let scripts = try CommandScripts()
        let endless = try scripts.write("while :; do /bin/sleep 0.1; done", to: "endless")
        let other = try scripts.write("until [ -e ${0%/*}/go ]; do /bin/sleep 0.1; done", to: "other")
        let hook = Hook()
        let process = hook.run(endless, for: "wlan7", timeout: .seconds(60)) { _ in
            Issue.record("it was told")
        }
        #expect(process != nil)
        let result = try await outcome { done in
            hook.run(other, for: "wlan8", timeout: .seconds(60), done)
            process?.cancel()
            scripts.open("go")
        }
        #expect(result.failure == nil)
        // The same program can be run again only when the cancelled run has ended.
        let short = try scripts.write("exit 0", to: "endless")
        var again = try await run(hook, short)
        while again?.kind == .busy { again = try await run(hook, short) }
        #expect(again == nil)
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let failure) = self { return failure }
        return nil
    }
}
