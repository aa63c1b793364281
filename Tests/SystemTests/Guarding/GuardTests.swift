import Foundation
import Glibc
import Testing

/// Whatever kills or stops the program in the middle of a bounce, the link comes up again and has lost
/// nothing.
@Suite("The guard", .needsRoot)
struct GuardTests {
    /// Much longer than a test usually waits.
    private static let longDelay = ["--delay", "60s", "--settle", "5s", "--probe", "none"]

    private func keepDown(_ link: VirtualLink, _ command: String = "toggle", _ options: [String] = longDelay)
        throws -> Child
    {
        // Otherwise the Swift runtime's crash handler would catch the signal that the test sends.
        let program = try link.start(
            command, (command == "run" ? ["--force", "--interval", "1h"] : []) + options,
            environment: ["SWIFT_BACKTRACE": "enable=no"])
        try eventually("the link is kept down", detail: program.transcript) {
            try !link.isUp && program.standardError.contains("link down")
        }
        return program
    }

    @Test(
        "if the program is killed while the link is down, the link is up within a second, and then restored",
        arguments: ["toggle", "run"], [SIGKILL, SIGSEGV, SIGABRT])
    func killed(_ command: String, _ signal: Int32) throws {
        let link = try VirtualLink()
        try link.makeThingsToLose()
        let before = try link.state()
        let trace = try LinkTrace(link)
        let program = try keepDown(link, command)
        let death = LinkTrace.now
        program.send(signal)
        try eventually("the link is up") { try link.isUp }
        // The time at which `ip monitor` read the announcement does not depend on when this process looks.
        let raised = try trace.changes(atLeast: 2).last { $0.isUp }
        #expect((raised?.time ?? .infinity) - death < Tolerance.raise, "\(trace.changes)")
        _ = try program.outcome()
        try link.awaitRestored(before, program)
        #expect(program.standardError.contains("its guard raised the link"), "\(program.transcript)")
        #expect(program.standardError.contains("restored: default via"), "\(program.transcript)")
        // The guard keeps the lock until its process has ended, which is after its last line of output.
        try eventually("the lock is gone") { try !link.isLocked(VirtualLink.near) }
    }

    @Test("the service's user cannot signal the guard of root's toggle, and the guard removes the record")
    func ofRootBesideTheService() throws {
        let link = try VirtualLink()
        let user = try ServiceUser(link)
        let before = try link.state()
        let program = try link.start("toggle", Self.longDelay, prefix: user.asRoot)
        try eventually("the link is kept down", detail: program.transcript) {
            try !link.isUp && program.standardError.contains("link down")
        }
        let guardian = try #require(GuardProcesses.mentioning(link.runDirectory.path).first)
        for signal in ["0", "STOP", "KILL"] {
            let outcome = try Child(user.asAnybody + ["sh", "-c", "kill -\(signal) \(guardian)"]).outcome()
            #expect(outcome.status != 0, "\(signal): \(outcome)")
        }
        kill(program.processIdentifier, SIGKILL)
        try link.awaitRestored(before, program)
    }

    @Test("if the whole process group is killed, the guard is not in it and restores the link")
    func processGroup() throws {
        let link = try VirtualLink()
        let before = try link.state()
        let program = try keepDown(link)
        kill(-program.processIdentifier, SIGKILL)
        try link.awaitRestored(before, program)
        #expect(try link.isUp)
    }

    @Test(
        "if the program is stopped, the guard raises the link at its deadline, and the program can continue")
    func stopped() throws {
        let link = try VirtualLink()
        try link.makeThingsToLose()
        let before = try link.state()
        let program = try keepDown(link, "toggle", ["--delay", "5s", "--settle", "5s", "--probe", "none"])
        program.send(SIGSTOP)
        try eventually("the link is up") { try link.isUp }
        try eventually("all is back", detail: program.transcript) { try link.state() == before }
        #expect(program.standardError.contains("did not raise the link in time"), "\(program.transcript)")
        #expect(GuardProcesses.children(of: program.processIdentifier).count == 1, "it stays")
        program.send(SIGCONT)
        let outcome = try program.outcome()
        #expect(outcome.status == 0, "\(outcome)")
        try link.awaitRestored(before, program)
    }

    @Test("if the guard is killed, the program raises the link at once", arguments: ["toggle", "run"])
    func guardKilled(_ command: String) throws {
        let link = try VirtualLink()
        let before = try link.state()
        let program = try keepDown(link, command)
        let guards = GuardProcesses.children(of: program.processIdentifier)
        #expect(guards.count == 1)
        for process in guards { kill(process, SIGKILL) }
        try eventually("the link is up", detail: program.transcript) { try link.isUp }
        try eventually("the reason is told") {
            program.standardError.contains("the guard's process ended: raising the link at once")
        }
        if command == "run" {
            try eventually("all is back") { try link.state() == before }
            program.send(SIGTERM)
        }
        #expect(try program.outcome().status == 0, "\(program.transcript)")
        try link.awaitRestored(before, program)
    }

    /// A toggle that has to read so many routes that its guard, made at the beginning, can be hit before the
    /// snapshot is complete. The routes count as the kernel's own and are not saved, so the record stays
    /// small. The program runs in slices, so that it does not get far beyond its guard before the guard is
    /// found, however busy the machine is.
    /// - Returns: the program, which is stopped (SIGSTOP), and its guard.
    private func prepared(_ link: VirtualLink) throws -> (program: Child, guardian: pid_t) {
        let routes = (0..<20_000).map {
            "route add 172.16.\($0 / 256).\($0 % 256) dev \(VirtualLink.near) proto kernel"
        }
        let batch = link.directory.appendingPathComponent("routes")
        try Data(routes.joined(separator: "\n").utf8).write(to: batch)
        try link.nearIP("-batch \(batch.path)")
        let program = try link.start("toggle", ["--delay", "60s", "--settle", "5s", "--probe", "none"])
        var guards: [pid_t] = []
        try eventually("the guard is made", within: .seconds(120)) {
            program.send(SIGCONT)
            usleep(5000)
            program.send(SIGSTOP)
            guards = GuardProcesses.children(of: program.processIdentifier)
            return !guards.isEmpty
        }
        return (program, guards[0])
    }

    @Test("if the guard is stopped before it has the record, no bounce begins")
    func stoppedBeforeItStands() throws {
        try repeatUntil("the guard is stopped before it has the record") { try stopBeforeItStands() }
    }

    /// Repeats an attempt for up to five minutes, because the guard may have the record before it is stopped
    /// or killed.
    private func repeatUntil(_ sentence: String, _ isWon: () throws -> Bool) throws {
        let end = ContinuousClock.now + .seconds(300)
        while try !isWon() {
            guard ContinuousClock.now < end else { throw Overdue(sentence: sentence, detail: "") }
        }
    }

    /// - Returns: false if the guard was stopped too late, and a bounce has begun.
    private func stopBeforeItStands() throws -> Bool {
        let link = try VirtualLink()
        let (program, guardian) = try prepared(link)
        let trace = try LinkTrace(link)
        kill(guardian, SIGSTOP)
        program.send(SIGCONT)
        try eventually("the guard is given up, or had the record", within: .seconds(30)) {
            program.isOver || program.standardError.contains("link down, kept down")
        }
        guard program.isOver else {
            kill(guardian, SIGCONT)
            program.send(SIGTERM)
            _ = try program.outcome()
            return false
        }
        let outcome = try program.outcome()
        #expect(
            outcome.status == 71 && outcome.words.contains("did not answer"), "\(outcome.words.suffix(500))")
        #expect(try trace.isUntouched() && link.records.isEmpty)
        #expect(GuardProcesses.mentioning(link.runDirectory.path).isEmpty)
        return true
    }

    @Test("a guard that is killed before it has the record is replaced")
    func killedBeforeItStands() throws {
        try repeatUntil("the guard is killed before it has the record") { try killBeforeItStands() }
    }

    /// - Returns: false if the guard was killed too late, and the program has raised the link.
    private func killBeforeItStands() throws -> Bool {
        let link = try VirtualLink()
        let (program, guardian) = try prepared(link)
        kill(guardian, SIGKILL)
        program.send(SIGCONT)
        let words = "the guard's process ended: raising the link at once"
        // The killed guard stays in the list of children until the program reaps it at its end.
        func replacements() -> [pid_t] {
            GuardProcesses.children(of: program.processIdentifier).filter { $0 != guardian }
        }
        try eventually(
            "another guard keeps the link down, or the first had the record", detail: program.transcript
        ) {
            try program.standardError.contains(words) || !replacements().isEmpty && !link.isUp
        }
        if program.standardError.contains(words) {
            _ = try program.outcome()
            return false
        }
        #expect(replacements().count == 1)
        program.send(SIGTERM)
        _ = try program.outcome()
        return true
    }

    @Test("the guard keeps only CAP_NET_ADMIN and the descriptors it needs, and ignores signals")
    func modest() throws {
        let link = try VirtualLink()
        let program = try keepDown(link)
        let process = try #require(GuardProcesses.children(of: program.processIdentifier).first)
        let administration = String(1 << 12, radix: 16)  // CAP_NET_ADMIN
        for set in ["CapPrm", "CapEff"] {
            let held = GuardProcesses.status(process, set)?.drop { $0 == "0" }
            #expect(held.map(String.init) == administration, "\(set)")
        }
        #expect(GuardProcesses.status(process, "NoNewPrivs") == "1")
        #expect(getsid(process) == process && getpgid(process) == process)
        for signal in [SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1] { kill(process, signal) }
        let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd")
        // Standard error, its channel, the lock, the run directory, its netlink socket.
        #expect(descriptors.count == 5, "\(descriptors)")
        #expect(try !link.isUp)
        program.send(SIGTERM)
        _ = try program.outcome()
    }

    @Test("while the guard works, a second run fails with 75, and its message names the guard")
    func lockIsInherited() throws {
        let link = try VirtualLink()
        let program = try keepDown(link, "toggle", ["--delay", "60s", "--settle", "60s", "--probe", "none"])
        // Without a carrier the guard has to wait until it can restore the routes.
        try link.farIP("link set \(VirtualLink.far) down")
        program.send(SIGKILL)
        try eventually("the link is raised") { try link.isUp }
        let second = try link.run("toggle", ["--wait", "0"])
        #expect(second.status == 75, "\(second)")
        #expect(second.words.contains("wifi-toggler guard"), "\(second)")
        try link.farIP("link set \(VirtualLink.far) up")
        try eventually("the guard has ended") { link.records.isEmpty }
    }

    @Test("if the guard is killed after its raise, repair leaves down what a user has set down since")
    func killedAfterRaise() throws {
        let link = try VirtualLink()
        let program = try keepDown(link, "toggle", ["--delay", "60s", "--settle", "60s", "--probe", "none"])
        let guardian = try #require(GuardProcesses.children(of: program.processIdentifier).first)
        // Without a carrier the guard has to wait until it can restore the routes.
        try link.farIP("link set \(VirtualLink.far) down")
        program.send(SIGKILL)
        try eventually("the guard has raised the link", detail: program.transcript) {
            try link.isUp && link.records == ["\(VirtualLink.near).settling"]
        }
        kill(guardian, SIGKILL)
        _ = try program.outcome()
        try eventually("the lock is gone") { try !link.isLocked(VirtualLink.near) }
        try link.nearIP("link set \(VirtualLink.near) down")
        let outcome = try link.run("repair", interface: nil)
        #expect(outcome.status == 0 && outcome.words.contains("it stays down"), "\(outcome)")
        #expect(try !link.isUp)
        #expect(link.records.isEmpty)
    }

    @Test("a one-shot whose interface disappears leaves neither a guard nor a record")
    func vanished() throws {
        let link = try VirtualLink()
        let program = try keepDown(link)
        try link.removeCable()
        #expect(try program.outcome().status == 69)
        #expect(link.records.isEmpty)
        #expect(GuardProcesses.mentioning(link.runDirectory.path).isEmpty)
    }
}
