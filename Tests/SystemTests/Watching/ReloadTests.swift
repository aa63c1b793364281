import Foundation
import Glibc
import Testing

/// What a running service changes when it reads its configuration again, and what it keeps.
@Suite("A reload", .needsRoot)
struct ReloadTests {
    private static let again = "configuration read again"

    /// Writes this configuration, tells the service to read it, and waits for the service's message.
    private func reload(_ service: Child, _ link: VirtualLink, _ text: String, until words: String = again)
        throws
    {
        let before = service.standardError.ranges(of: words).count
        try link.configure(text)
        service.send(SIGHUP)
        try eventually("it says '\(words)'", detail: service.transcript) {
            service.standardError.ranges(of: words).count > before
        }
    }

    /// Waits for the next report of a check, and returns it.
    private func nextCheck(_ service: Child) throws -> [String: Any] {
        let before = RunOutcome.objects(in: service.standardOutput).count
        try eventually("another check", detail: service.transcript) {
            RunOutcome.objects(in: service.standardOutput).count > before
        }
        return try #require(RunOutcome.objects(in: service.standardOutput).last)
    }

    // MARK: The whole run

    @Test("a reload does not change the directories and the output, and says so")
    func wholeRun() throws {
        let link = try VirtualLink(gateway: .none)
        let (before, after) = (link.directory.path + "/before", link.directory.path + "/after")
        try link.configure("[default]\nrun-dir = \(before)\n")
        let words = [
            "--any-interface", "--config", link.configuration.path, "--state-dir",
            link.directory.path + "/state",
            "--interval", "1h", "--probe", "none", VirtualLink.near,
        ]
        let service = try Child(["ip", "netns", "exec", link.nearNamespace, Program.path, "run"] + words)
        func isThere(_ file: String) -> Bool { FileManager.default.fileExists(atPath: file) }
        try eventually("it is watched", detail: service.transcript) { isThere(before + "/control") }
        try reload(
            service, link, "[default]\nrun-dir = \(after)\nlog = syslog\nquiet = yes\n",
            until:
                "\(link.configuration.path): these keys take effect only when the service starts: run-dir, quiet, log"
                + " (restart the service)")
        try link.nearIP("link set \(VirtualLink.near) name fresh0")
        try eventually("the lock follows", detail: service.transcript) { isThere(before + "/fresh0.lock") }
        #expect(!isThere(after))
        try eventually("it is said where it was said before", detail: service.transcript) {
            service.standardError.contains("is called fresh0 now")
        }
        try service.endService()
    }

    @Test("hooks in a new directory begin after the hooks in the old one have ended")
    func hooks() throws {
        let link = try VirtualLink(gateway: .none)
        let note = "${0%/*}/../told"
        let script = """
            #!/bin/sh
            mkdir ${0%/*}/../busy || echo beside >> \(note)
            echo "${0%/*} $WIFI_TOGGLER_EVENT" >> \(note)
            while [ ! -e ${0%/*}/../go ]; do sleep 0.01; done
            rmdir ${0%/*}/../busy
            """
        try Data(script.utf8).write(to: link.directory.appendingPathComponent("script"))
        for name in ["old", "new"] {
            try shell(
                "install -D -m 755 \(link.directory.path)/script \(link.directory.path)/\(name)/10-hook")
        }
        var told: [Substring] {
            let text = try? String(contentsOfFile: link.directory.path + "/told", encoding: .utf8)
            return (text ?? "").split(separator: "\n")
        }
        try link.configure("[default]\nhooks-dir = \(link.directory.path)/old\n")
        let service = try link.start("run", ["--interval", "1h", "--probe", "none"])
        try eventually("the old one is told", detail: service.transcript) { told.count == 1 }
        try reload(service, link, "[default]\nhooks-dir = \(link.directory.path)/new\n")
        try link.removeCable()
        try eventually("something happens", detail: service.transcript) {
            service.standardError.contains("the interface is not there")
        }
        try Data().write(to: link.directory.appendingPathComponent("go"))
        try eventually("the new one is told", detail: service.transcript) { told.count >= 2 }
        let lines = ["old started", "new absent"].map { "\(link.directory.path)/\($0)" }
        #expect(told.map(String.init) == lines, "\(service.transcript)")
        try service.endService()
    }

    // MARK: Sections

    @Test(
        "a section applies to an interface by its present hardware and name, also after a renaming")
    func sections() throws {
        let link = try VirtualLink(gateway: .none)
        try link.removeCable()
        try link.configure(
            """
            [default]
            recheck = 5h
            [mac=02:00:00:00:77:01]
            recheck = 2h
            [mac=02:00:00:00:77:02]
            recheck = 3h
            [fresh0]
            recheck = 4h
            """)
        // The link has no address, so it is sick and is checked again.
        let service = try link.start(
            "run", ["--verbose", "--interval", "1d", "--probe", "none", "--fall", "100"])
        func goes(by hours: Int) throws {
            try eventually("it is checked again after \(hours) h", detail: service.transcript) {
                service.standardError.contains("next check in \(hours - 1)h 59m")
            }
        }
        func appear(_ address: String) throws {
            let cable = "type veth peer name near1"
            try link.nearIP("link add \(VirtualLink.near) address 02:00:00:00:77:\(address) up \(cable)")
            try link.nearIP("link set near1 up")
        }
        try eventually("it is waited for", detail: service.transcript) {
            service.standardError.contains("the interface is not there")
        }
        try appear("01")
        try goes(by: 2)
        #expect(!service.standardError.contains("next check in 4h"), "\(service.transcript)")
        try link.removeCable()
        try eventually("it is gone", detail: service.transcript) {
            service.standardError.ranges(of: "the interface is not there").count == 2
        }
        try appear("03")
        try goes(by: 5)
        try link.nearIP("link set \(VirtualLink.near) name fresh0")
        try eventually("it is called fresh0", detail: service.transcript) {
            service.standardError.contains("is called fresh0 now")
        }
        service.send(SIGUSR1)
        try goes(by: 4)
        try link.nearIP("link set fresh0 address 02:00:00:00:77:02")
        try eventually("its address counts", detail: service.transcript) {
            service.send(SIGUSR1)
            return service.standardError.contains("next check in 2h 59m")
        }
        try service.endService()
    }

    @Test("a reload that permits an interface that is not Wi-Fi makes the service watch it")
    func permitted() throws {
        let link = try VirtualLink(gateway: .none)
        let options = ["--json", "--interval", "1h", "--probe", "none"]
        let service = try link.startPlain("run", options + ["\(VirtualLink.near.dropLast())*"])
        try eventually("it waits for an interface", detail: service.transcript) {
            service.standardError.contains("no Wi-Fi interface yet; waiting for one to appear")
        }
        try reload(service, link, "[default]\nrecheck = 5s\n")
        #expect(service.cycles == 0, "\(service.transcript)")
        try reload(service, link, "[\(VirtualLink.near)]\nany-interface = yes\n")
        try eventually("the interface is watched", detail: service.transcript) { service.cycles == 1 }
        #expect(try link.isLocked(VirtualLink.near))
        try service.endService()
    }

    // MARK: What is kept

    @Test("a reload on a sick link keeps health, back-off and history")
    func kept() throws {
        let link = try VirtualLink()
        try link.keepDefaultRoute()
        try link.muteFarEnd()
        let options = [
            "--json", "--fall", "1", "--probe", "neighbour", "--timeout", "100ms", "--delay", "0", "--settle",
            "100ms", "--grace", "0", "--interval", "200ms", "--recheck", "200ms",
        ]
        try link.configure("[default]\nbackoff = 1h\nbackoff-max = 2h\n")
        let service = try link.start("run", options)
        let backingOff = "backing off: the next bounce at the earliest in "
        try eventually("it has bounced, and backs off", detail: service.transcript) {
            service.standardOutput.contains(backingOff)
        }
        let trace = try LinkTrace(link)
        let (before, history) = (try status(link), try history(link))
        #expect(before["condition"] as? String == "sick", "\(before)")
        let instant = Date()
        // New values take effect at once, and earlier decisions stay.
        try reload(service, link, "[default]\nbackoff = 1h\nbackoff-max = 3h\nbudget = 9\n")
        for _ in 1...2 {
            let check = try nextCheck(service)
            #expect(check["action"] as? String == "held", "\(check)")
            #expect((check["reason"] as? String)?.contains(backingOff) == true, "\(check)")
        }
        let after = try status(link)
        for key in ["condition", "layer", "actions"] {
            let values = [before, after].map { $0[key].map { "\($0)" } }
            #expect(values[0] != nil && values[0] == values[1], "\(key): \(values)")
        }
        #expect(try since(after) < instant, "\(before), \(after)")
        try trace.catchUp()
        #expect(try trace.isUntouched() && trace.announcements == 0, "\(service.transcript)")
        #expect(try self.history(link).starts(with: history))
        try service.endService()
    }

    private func since(_ status: [String: Any]) throws -> Date {
        let format = ISO8601DateFormatter()
        format.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
        return try #require((status["since"] as? String).flatMap(format.date), "\(status)")
    }

    private func status(_ link: VirtualLink) throws -> [String: Any] {
        let files = ["--config", link.configuration.path, "--run-dir", link.runDirectory.path]
        let outcome = try Program.run(["status", "--json"] + files)
        return try #require(outcome.objects.first, "\(outcome)")
    }

    private func history(_ link: VirtualLink) throws -> Data {
        let name = "state/\(VirtualLink.near).history"
        let data = try Data(contentsOf: link.directory.appendingPathComponent(name))
        try #require(!data.isEmpty)
        return data
    }

    // MARK: Dry runs

    /// The plain timer, with bounces as short as possible.
    private static let timer = ["--json", "--force", "--delay", "0", "--settle", "0", "--probe", "none"]

    @Test("a dry run has no lock and cannot become a service, not even for one interface")
    func dryRun() throws {
        let link = try VirtualLink(gateway: .none)
        let trace = try LinkTrace(link)
        // The directory is there, as after an earlier run, so that a guard could be started.
        try FileManager.default.createDirectory(at: link.runDirectory, withIntermediateDirectories: false)
        let only = "\n[\(VirtualLink.near)]\ndry-run = no\n"
        try link.configure("[default]\ndry-run = yes\n" + only)
        let service = try link.start("run", Self.timer + ["--interval", "100ms"])
        #expect(try nextCheck(service)["action"] as? String == "skipped", "\(service.transcript)")
        try reload(
            service, link, "[default]\ndry-run = no\n",
            until:
                "\(link.configuration.path): dry-run: 'no' in [default] takes effect only when the service starts"
                + " (restart the service); the old configuration stays")
        for _ in 1...3 {
            #expect(try nextCheck(service)["action"] as? String == "skipped", "\(service.transcript)")
        }
        try trace.catchUp()
        #expect(try trace.isUntouched(), "\(service.transcript)")
        #expect(try !link.isLocked(VirtualLink.near))
        try service.endService()
    }

    @Test("a service cannot become a dry run, but one of its interfaces can")
    func service() throws {
        let link = try VirtualLink(gateway: .none)
        let service = try link.start("run", Self.timer + ["--interval", "100ms"])
        #expect(try nextCheck(service)["action"] as? String == "bounced", "\(service.transcript)")
        try reload(
            service, link, "[default]\ndry-run = yes\n",
            until: "dry-run: 'yes' in [default] takes effect only when the service starts")
        try reload(service, link, "[\(VirtualLink.near)]\ndry-run = yes\n")
        try eventually("nothing is bounced any more", detail: service.transcript) {
            RunOutcome.objects(in: service.standardOutput).last?["action"] as? String == "skipped"
        }
        #expect(try link.isLocked(VirtualLink.near))
        try service.endService()
        let kept = String(decoding: try history(link), as: UTF8.self)
        #expect(kept.components(separatedBy: #""kind":"withheld""#).count == 2, "once: \(kept)")
    }
}
