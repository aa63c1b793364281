import Glibc
import Testing

@Suite("Notifications to the service manager", .needsRoot)
struct NotificationTests {
    @Test("the service sends READY, STATUS and WATCHDOG, and STOPPING at its end")
    func notifications() throws {
        let link = try VirtualLink(gateway: .none)
        let manager = try NotificationSocket(in: link.directory)
        let program = try link.start(
            "run", ["--probe", "none", "--interval", "1h"],
            environment: ["NOTIFY_SOCKET": manager.path, "WATCHDOG_USEC": "600000"])
        try manager.waitFor("READY=1")
        try manager.waitFor("STATUS=")
        try eventually("signs of life beside an interval of an hour", detail: "\(manager.assignments)") {
            manager.count("WATCHDOG=1") >= 3
        }
        #expect(manager.count("READY=1") == 1)
        program.send(SIGTERM)
        try manager.waitFor("STOPPING=1")
        let outcome = try program.outcome()
        #expect(outcome.status == 0, "\(outcome)")
    }

    @Test("STATUS is sent once for equal verdicts, and again for another verdict")
    func status() throws {
        let link = try VirtualLink(gateway: .none)
        let manager = try NotificationSocket(in: link.directory)
        let program = try link.start(
            "run", ["--json", "--probe", "none", "--interval", "100ms", "--dry-run"],
            environment: ["NOTIFY_SOCKET": manager.path])
        let verdicts = {
            manager.check()
            return manager.assignments.filter { $0.hasPrefix("STATUS=\(VirtualLink.near): ") }
        }
        try eventually("a few checks", detail: program.transcript) {
            RunOutcome.objects(in: program.standardOutput).count >= 6
        }
        #expect(verdicts() == ["STATUS=\(VirtualLink.near): healthy: the kernel finds nothing wrong"])
        try link.farIP("link set \(VirtualLink.far) down")
        try eventually("the lost carrier is told", detail: "\(manager.assignments)") {
            verdicts().last?.hasPrefix("STATUS=\(VirtualLink.near): sick") == true
        }
        program.send(SIGTERM)
        #expect(try program.outcome().status == 0)
    }

    @Test("READY does not wait for the bounce after the first check")
    func bounce() throws {
        let link = try VirtualLink(gateway: .none)
        let manager = try NotificationSocket(in: link.directory)
        let program = try link.start(
            "run", ["--force", "--delay", "60s", "--probe", "none"],
            environment: ["NOTIFY_SOCKET": manager.path])
        try manager.waitFor("READY=1")
        program.send(SIGTERM)
        let outcome = try program.outcome()
        #expect(outcome.status == 0, "\(outcome)")
        #expect(try link.isUp)
    }

    @Test("each line has a level prefix if stderr is the journal, and none otherwise")
    func levels() throws {
        let link = try VirtualLink(gateway: .none)
        let bounce = ["--delay", "0", "--settle", "0"]
        let plain = try link.run("toggle", bounce)
        #expect(!plain.standardError.hasPrefix("<"), "\(plain)")
        // JOURNAL_STREAM has the device and inode of standard error if that is the journal (systemd.exec(5)).
        let journal = "export JOURNAL_STREAM=$(stat -Lc %d:%i /proc/self/fd/2); exec \"$@\""
        let marked = try link.start("toggle", bounce, prefix: ["sh", "-c", journal, "sh"]).outcome()
        let lines = marked.standardError.split(separator: "\n")
        #expect(!lines.isEmpty)
        for line in lines { #expect(line.wholeMatch(of: /<[3-7]>.*/) != nil, "\(marked)") }
    }
}
