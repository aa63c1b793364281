import Foundation
import Testing

@Suite("toggle", .needsRoot)
struct ToggleTests {
    @Test("the link goes down once and up once, and stays down for the delay", arguments: [0, 300, 700])
    func bounce(_ milliseconds: Int) throws {
        let link = try VirtualLink(gateway: .none)
        let trace = try LinkTrace(link)
        let outcome = try link.run("toggle", ["--json", "--delay", "\(milliseconds)ms"])
        #expect(outcome.status == 0, "\(outcome)")
        let changes = try trace.changes(atLeast: 2)
        #expect(changes.map(\.isUp) == [false, true])
        let downTime = changes[1].time - changes[0].time
        // The trace records a change when it reads it, and on a busy machine it may read the first one late.
        // The time that the program itself has measured, below, is exact.
        #expect(downTime >= Double(milliseconds) / 2000)
        #expect(downTime < Double(milliseconds) / 1000 + Tolerance.downTime)

        let last = try #require(outcome.objects.last)
        #expect(last["action"] as? String == "bounced", "\(outcome)")
        let down = try #require(last["down_ms"] as? Double)
        #expect(down >= Double(milliseconds))
        #expect(try link.isUp)
    }

    @Test("the bounce is verified by a probe, and the recovery is reported")
    func verified() throws {
        let link = try VirtualLink()
        try link.keepDefaultRoute()
        let began = ContinuousClock.now
        let outcome = try link.run("toggle", ["--json", "--delay", "100ms"])
        let took = (ContinuousClock.now - began) / .milliseconds(1)
        #expect(outcome.status == 0, "\(outcome)")
        let last = try #require(outcome.objects.last)
        #expect(last["verdict"] as? String == "healthy", "\(outcome)")
        // The time down and the recovery together took no longer than the command.
        let down = try #require(last["down_ms"] as? Double)
        #expect(
            (0.001...took - down).contains(last["recovery_ms"] as? Double ?? -1), "\(took) ms: \(outcome)")
    }

    @Test("a bounce that does not help ends with status 1 and the link up")
    func useless() throws {
        let link = try VirtualLink()
        try link.keepDefaultRoute()
        try link.muteFarEnd()
        let outcome = try link.run(
            "toggle", ["--delay", "100ms", "--settle", "1s", "--timeout", "2s"])
        #expect(outcome.status == 1, "\(outcome)")
        #expect(outcome.words.contains(VirtualLink.farAddress), "\(outcome)")
        #expect(try link.isUp)
    }

    @Test("with --settle 0 the command does not wait for a far end that stays silent")
    func unverified() throws {
        let link = try VirtualLink()
        try link.muteFarEnd()
        let trace = try LinkTrace(link)
        let outcome = try link.run("toggle", ["--json", "--delay", "0", "--settle", "0"])
        // If the command had waited, the verdict would be sick.
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.objects.last?["verdict"] as? String == "unknown", "\(outcome)")
        #expect(try trace.changes(atLeast: 2).map(\.isUp) == [false, true])
    }

    @Test("--dry-run says what would be done, and does nothing")
    func dryRun() throws {
        let link = try VirtualLink()
        let trace = try LinkTrace(link)
        let outcome = try link.run("toggle", ["--dry-run"])
        #expect(outcome.status == 0, "\(outcome)")
        #expect(!outcome.words.isEmpty)
        #expect(try trace.isUntouched())
    }

    @Test(
        "a signal while the link is kept down raises it before the program ends",
        arguments: ["TERM", "INT", "HUP"])
    func signalled(_ name: String) throws {
        let link = try VirtualLink()
        let trace = try LinkTrace(link)
        let program = try link.start("toggle", ["--delay", "60s"])
        _ = try trace.changes(atLeast: 1)
        program.send(Signal.named[name] ?? 0)
        _ = try program.outcome()
        #expect(try trace.changes(atLeast: 2).map(\.isUp) == [false, true])
    }

    @Test("under nohup(1), the end of the terminal does not end the program")
    func hangup() throws {
        let link = try VirtualLink()
        let trace = try LinkTrace(link)
        let program = try link.start("toggle", ["--delay", "2s", "--json"], prefix: ["nohup"])
        _ = try trace.changes(atLeast: 1)
        program.send(SIGHUP)
        let outcome = try program.outcome()
        #expect(outcome.status == 0, "\(outcome)")
        let changes = try trace.changes(atLeast: 2)
        #expect(changes[1].time - changes[0].time > 1.9, "\(changes)")
    }

    @Test("a parent that ignores SIGCHLD does not keep the program from learning how its children end")
    func ignoredChildren() throws {
        let link = try VirtualLink()
        let check = try link.install("exit 0", at: "check")
        let outcome = try link.start(
            "probe", ["--probe", "command:\(check)", "--command-user", "root"],
            prefix: ["perl", "-e", "$SIG{CHLD} = 'IGNORE'; exec @ARGV or die"]
        ).outcome()
        #expect(outcome.status == 0, "\(outcome)")
    }
}

/// How late a step may come on a busy machine, in seconds.
enum Tolerance {
    static let downTime = 5.0
    static let tick = 0.4
    /// The time within which a guard raises the link, in seconds. ThreadSanitizer makes the program many
    /// times slower (contrib/sanitize sets TSAN_OPTIONS).
    static let raise = ProcessInfo.processInfo.environment["TSAN_OPTIONS"] == nil ? 1.0 : 2.0
}
