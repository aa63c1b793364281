import Glibc
import Testing

@Suite("run", .needsRoot)
struct RunTests {
    /// The plain timer, with short bounces.
    private static let timer = ["--force", "--delay", "50ms", "--settle", "0", "--probe", "none"]

    @Test("with --force, bounce number k begins at start + k × interval, without drift")
    func ticks() throws {
        let link = try VirtualLink(gateway: .none)
        let trace = try LinkTrace(link)
        // If each interval began at the end of a bounce, each tick would be later by this delay.
        let options = [
            "--force", "--delay", "700ms", "--settle", "0", "--probe", "none", "--interval", "2s",
            "--verbose",
        ]
        let program = try link.start("run", options)
        let first = try trace.changes(atLeast: 4, within: .seconds(30)).filter { !$0.isUp }.map(\.time)
        // The program handles one tick late by half an interval. If each interval began when the last tick
        // was handled, all later ticks would be late.
        let waits = program.standardError.count(of: "→ waiting")
        try eventually("the next bounce has ended", detail: program.transcript) {
            program.standardError.count(of: "→ waiting") > waits
        }
        program.send(SIGSTOP)
        let ticks = ((LinkTrace.now - first[0]) / Self.interval).rounded(.up)
        usleep(UInt32(max(0, (ticks + 0.5) * Self.interval - (LinkTrace.now - first[0])) * 1e6))
        program.send(SIGCONT)
        let changes = try trace.changes(atLeast: 16, within: .seconds(90))
        #expect(program.standardError.contains("start"), "\(program.transcript)")
        let lowered = changes.filter { !$0.isUp }.map(\.time)
        let late = lowered.map { time in
            ((time - first[0]) / Self.interval - ((time - first[0]) / Self.interval).rounded())
                * Self.interval
        }
        // Only the tick that was handled late, and on a busy machine one or two more, may be off the grid of
        // intervals since the start. With an interval that begins at the last tick or bounce, later ticks
        // would be off it, too.
        #expect(late.filter { abs($0) < Tolerance.tick }.count >= 5, "\(late) \(changes)")
        try end(program)
        #expect(try link.isUp)
    }

    /// The seconds between two ticks.
    private static let interval = 2.0

    @Test("run --force does not bounce a link that a user set down, says so, and bounces it later")
    func goesOn() throws {
        let link = try VirtualLink(gateway: .none)
        let trace = try LinkTrace(link)
        let program = try link.start("run", Self.timer + ["--interval", "500ms"])
        _ = try trace.changes(atLeast: 2)
        // The test sets the link down until it stays down, which is between two bounces.
        try eventually("the link stays down", detail: program.transcript) {
            try link.nearIP("link set \(VirtualLink.near) down")
            return program.standardError.contains("administratively down")
        }
        let before = trace.changes.count
        try link.nearIP("link set \(VirtualLink.near) up")
        _ = try trace.changes(atLeast: before + 3)
        try end(program)
    }

    @Test("a healthy link is left alone, cycle after cycle, without a message")
    func healthy() throws {
        let link = try VirtualLink()
        let trace = try LinkTrace(link)
        let program = try link.start("run", ["--json", "--interval", "300ms"])
        try eventually("five cycles", detail: program.transcript) {
            RunOutcome.objects(in: program.standardOutput).count >= 5
        }
        let said = program.standardError
        try eventually("five more cycles", detail: program.transcript) {
            RunOutcome.objects(in: program.standardOutput).count >= 10
        }
        #expect(program.standardError == said)
        #expect(try trace.isUntouched())
        try end(program)
    }

    @Test("a silent far end causes three sick verdicts and one bounce, and then the link is healthy")
    func sick() throws {
        let link = try VirtualLink()
        try link.keepDefaultRoute()
        try link.cureFarEndByBounce()
        let trace = try LinkTrace(link)
        let program = try link.start("run", ["--json", "--interval", "500ms"] + ReconnectTests.quick)
        try eventually("the first cycle", detail: program.transcript) {
            program.standardOutput.contains("healthy")
        }
        try link.muteFarEnd()
        try eventually("a bounce is told", detail: program.transcript) {
            program.standardOutput.contains("bounced")
        }
        let objects = RunOutcome.objects(in: program.standardOutput)
        let verdicts = objects.drop { $0["verdict"] as? String == "healthy" }.prefix(3)
        #expect(verdicts.map { $0["verdict"] as? String } == ["sick", "sick", "healthy"])
        #expect(verdicts.map { $0["action"] as? String } == ["none", "none", "bounced"])
        #expect(try trace.changes(atLeast: 2).map(\.isUp) == [false, true])
        try end(program)
    }

    @Test(
        "a service told to end while it keeps the link down raises it first, and ends with 0",
        arguments: ["TERM", "INT"])
    func ended(_ name: String) throws {
        let link = try VirtualLink(gateway: .none)
        let trace = try LinkTrace(link)
        let program = try link.start("run", ["--force", "--delay", "60s"])
        _ = try trace.changes(atLeast: 1)
        try end(program, by: name)
        #expect(try trace.changes(atLeast: 2).map(\.isUp) == [false, true])
    }

    @Test("an interface that is removed and made again is watched again")
    func madeAgain() throws {
        let link = try VirtualLink(gateway: .none)
        let program = try link.start("run", ["--json", "--interval", "300ms", "--probe", "none"])
        try eventually("a cycle", detail: program.transcript) { program.standardOutput.contains("healthy") }
        try link.removeCable()
        try eventually("it is told that the interface is gone", detail: program.transcript) {
            program.standardError.contains("not there")
        }
        let before = program.standardOutput.count
        try link.makeCable()
        try eventually("a cycle on the new interface", detail: program.transcript) {
            program.standardOutput.dropFirst(before).contains("healthy")
        }
        try end(program)
    }

    @Test("without an interface name the service says which interfaces it does not watch, and why")
    func withoutName() throws {
        let link = try VirtualLink(gateway: .none)
        let program = try link.startPlain("run", [])
        try eventually("it says so", detail: program.transcript) {
            program.standardError.contains("watching none; leaving out lo, near0 (not Wi-Fi)")
        }
        try end(program)
        let named = try link.start("run", ["--json"])
        try eventually("a cycle", detail: named.transcript) { named.standardOutput.contains("verdict") }
        try end(named)
        #expect(!named.standardError.contains("leaving"), "\(named.transcript)")
    }

    @Test("the service waits for a missing interface")
    func notYetThere() throws {
        let link = try VirtualLink(gateway: .none)
        try link.removeCable()
        let program = try link.start("run", ["--json", "--interval", "300ms", "--probe", "none"])
        try eventually("it is told that the interface is missing", detail: program.transcript) {
            program.standardError.contains(VirtualLink.near)
        }
        try link.makeCable()
        try eventually("a cycle", detail: program.transcript) { program.standardOutput.contains("healthy") }
        try end(program)
    }

    @Test("SIGUSR1 causes a cycle at once, and SIGUSR2 prints the state")
    func userSignals() throws {
        let link = try VirtualLink(gateway: .none)
        let program = try link.start("run", ["--json", "--interval", "1h", "--probe", "none"])
        try eventually("the first cycle", detail: program.transcript) {
            RunOutcome.objects(in: program.standardOutput).count == 1
        }
        program.send(SIGUSR1)
        try eventually("a cycle long before the hour", detail: program.transcript) {
            RunOutcome.objects(in: program.standardOutput).count == 2
        }
        let said = program.standardError.count
        program.send(SIGUSR2)
        try eventually("the state", detail: program.transcript) { program.standardError.count > said }
        #expect(program.standardError.dropFirst(said).contains(VirtualLink.near))
        try end(program)
    }

    @Test("SIGHUP reloads the configuration, and an invalid one is refused and the old one kept")
    func reload() throws {
        let link = try VirtualLink(gateway: .none)
        try link.configure("[default]\ninterval = 1h\nprobe = none\n")
        let program = try link.start("run", ["--json"])
        try eventually("the first cycle", detail: program.transcript) {
            RunOutcome.objects(in: program.standardOutput).count == 1
        }
        try link.configure("[default]\ninterval = soon\n")
        program.send(SIGHUP)
        try eventually("the bad one is refused", detail: program.transcript) {
            program.standardError.contains("soon")
        }
        #expect(!program.isOver)
        try link.configure("[default]\ninterval = 200ms\nprobe = none\n")
        program.send(SIGHUP)
        try eventually("cycles at the new pace", detail: program.transcript) {
            RunOutcome.objects(in: program.standardOutput).count >= 4
        }
        try end(program)
    }

    /// Ends the program as a service manager does, and expects the status 0.
    private func end(_ program: Child, by name: String = "TERM") throws {
        #expect(!program.isOver, "\(program.transcript)")
        program.send(Signal.named[name] ?? 0)
        let outcome = try program.outcome()
        #expect(outcome.status == 0, "\(outcome)")
    }
}
