import Glibc
import TestSupport
import Testing

@testable import Platform

@Suite("The status of a process") struct ProcessStatusTests {
    private let scratch: Scratch
    init() throws { scratch = try Scratch() }

    private func standstill(_ text: String) throws -> ProcessStatus.Standstill? {
        try scratch.write(text, to: "proc/7/status")
        return ProcessStatus(of: 7, root: scratch.path)?.standstill
    }

    private static let counts = "voluntary_ctxt_switches:\t5\nnonvoluntary_ctxt_switches:\t6\n"

    @Test(
        "a process stands still if it is stopped or waits for the kernel, not if it sleeps, runs or is debugged",
        arguments: [
            ("T (stopped)", true), ("D (disk sleep)", true), ("S (sleeping)", false), ("R (running)", false),
            ("t (tracing stop)", false), ("Z (zombie)", false), ("X (dead)", false), ("", false),
            ("TT", false),
            ("\u{301}T", false),
        ])
    func states(state: String, standsStill: Bool) throws {
        let seen = try standstill("Name:\tdhcpcd\nUmask:\t0022\nState:\t\(state)\n\(Self.counts)")
        #expect((seen != nil) == standsStill)
    }

    @Test("a process that ran in between, or now stands still for another reason, differs from before")
    func again() throws {
        let stopped = try #require(try standstill("State:\tT (stopped)\n\(Self.counts)"))
        #expect(try standstill("Name:\tx\nState:\tT (stopped)\n\(Self.counts)") == stopped)
        #expect(try standstill("State:\tD (disk sleep)\n\(Self.counts)") != stopped)
        for change in ["\t5", "\t6"] {
            let ran = Self.counts.replacing(change, with: "\t9")
            #expect(try standstill("State:\tT (stopped)\n\(ran)") != stopped)
        }
    }

    @Test(
        "a process name that looks like a line `State:` is not taken for the state",
        arguments: ["T\\nState:\tT", "State:\tT", ": T"])
    func hostile(name: String) throws {
        #expect(try standstill("Name:\t\(name)\nState:\tS (sleeping)\n\(Self.counts)") == nil)
        #expect(try standstill("Name:\t\(name)") == nil)
    }

    @Test("a real process that is stopped stands still until it is continued")
    func real() throws {
        var process: pid_t = 0
        var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("sleep"), strdup("60"), nil]
        defer { for argument in arguments { free(argument) } }
        let error = posix_spawn(&process, "/bin/sleep", nil, nil, &arguments, environ)
        try #require(error == 0)
        defer {
            kill(process, SIGKILL)
            waitpid(process, nil, 0)
        }
        kill(process, SIGSTOP)
        waitpid(process, nil, WUNTRACED)
        let first = try #require(ProcessStatus(of: process)?.standstill)
        #expect(ProcessStatus(of: process)?.standstill == first)
        kill(process, SIGCONT)
        waitpid(process, nil, WCONTINUED)
        kill(process, SIGSTOP)
        waitpid(process, nil, WUNTRACED)
        #expect(ProcessStatus(of: process)?.standstill != first, "it has run in between")
        kill(process, SIGCONT)
        waitpid(process, nil, WCONTINUED)
        while ProcessStatus(of: process)?.standstill != nil { usleep(1000) }
    }
}
