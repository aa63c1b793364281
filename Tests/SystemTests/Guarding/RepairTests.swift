import Foundation
import Glibc
import Testing

/// If the program and its guard are killed together, the link stays down. The record says what repair must do
/// then.
@Suite("repair", .needsRoot)
struct RepairTests {
    private func forge(_ link: VirtualLink, _ change: (String) -> String) throws {
        let text = try String(contentsOf: link.record, encoding: .utf8)
        let changed = change(text)
        #expect(changed != text)
        try Data(changed.utf8).write(to: link.record)
    }

    @Test("repair raises the link and restores what was lost; a second repair finds nothing to do")
    func repaired() throws {
        let link = try VirtualLink()
        try link.makeThingsToLose()
        let before = try link.state()
        try link.abandonBounce()
        let dry = try link.run("repair", ["--dry-run"], interface: nil)
        #expect(dry.status == 0 && dry.words.contains("the link would be raised"), "\(dry)")
        #expect(try !link.isUp)
        let outcome = try link.run("repair", ["--json"], interface: nil)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.objects.first?["repair"] as? String == "raised", "\(outcome)")
        #expect(try link.isUp && link.state() == before)
        #expect(link.records.isEmpty)
        let second = try link.run("repair", interface: nil)
        #expect(second.status == 0 && second.words.isEmpty, "\(second)")
    }

    @Test("if the result of a repair cannot be written, the link is raised, and the status is 73")
    func fullDisk() throws {
        let link = try VirtualLink()
        try link.abandonBounce()
        let outcome = try link.start(
            "repair", ["--json"], interface: nil, prefix: Program.withFullOutput
        ).outcome()
        #expect(outcome.status == 73, "\(outcome)")
        #expect(try link.isUp)
        #expect(link.records.isEmpty)
    }

    @Test("repair of one interface leaves another one alone")
    func named() throws {
        let link = try VirtualLink()
        try link.abandonBounce()
        let other = try link.run("repair", ["elsewhere0", "x*"], interface: nil)
        #expect(other.status == 0 && other.words.isEmpty, "\(other)")
        #expect(try !link.isUp)
        #expect(link.records == ["\(VirtualLink.near).intent"])
        let outcome = try link.run(
            "repair", ["elsewhere0", "\(VirtualLink.near.dropLast())*"], interface: nil)
        #expect(outcome.status == 0 && outcome.words.contains("repair raised the link"), "\(outcome)")
        #expect(try link.isUp)
        #expect(link.records.isEmpty)
    }

    @Test("an invalid configuration is reported, and repair raises the link without it")
    func wrongConfiguration() throws {
        let link = try VirtualLink()
        try link.abandonBounce()
        try link.configure("[default]\nnonsense\n")
        let outcome = try link.run("repair", interface: nil)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(
            outcome.standardError.contains(":2: 'nonsense' is neither")
                && outcome.standardError.contains("repairing without the file"), "\(outcome)")
        #expect(try link.isUp)
        #expect(link.records.isEmpty)
        let other = try link.run("toggle")
        #expect(other.status == 78, "\(other)")
    }

    @Test(
        "the next start finishes the interrupted bounce before anything else",
        arguments: ["toggle", "reconnect", "run"])
    func nextStart(_ command: String) throws {
        let link = try VirtualLink()
        try link.makeThingsToLose()
        let before = try link.state()
        try link.abandonBounce()
        let options = command == "toggle" ? ["--delay", "0"] : ["--probe", "none"]
        let program = try link.start(command, options)
        try eventually("it is told", detail: program.transcript) {
            program.standardError.contains("a bounce was not finished; repair raised the link")
        }
        if command == "run" {
            try eventually("all is back") { try link.state() == before }
            program.send(SIGTERM)
        }
        #expect(try program.outcome().status == 0, "\(program.transcript)")
        #expect(try link.isUp && link.state() == before)
        #expect(link.records.isEmpty)
    }

    /// The kernel refuses to set a VXLAN link up while another program uses its port (EADDRINUSE, `vxlan_open`
    /// in drivers/net/vxlan/vxlan_core.c).
    @Test("the service repeats a repair until the kernel sets the link up, and only then watches the link")
    func refusedRaise() throws {
        let link = try VirtualLink()
        try link.nearIP("link delete \(VirtualLink.near)")
        try link.nearIP("link set lo up")
        try link.nearIP("link add \(VirtualLink.near) type vxlan id 5 dstport 4790 local 127.0.0.1")
        try link.nearIP("link set \(VirtualLink.near) up")
        try link.abandonBounce()
        let script =
            "import socket, time; s = socket.socket(type=socket.SOCK_DGRAM); s.bind(('', 4790));"
            + " print('bound', flush=True); time.sleep(3600)"
        let user = try Child(["ip", "netns", "exec", link.nearNamespace, "python3", "-c", script])
        try eventually("its port is in use", detail: user.transcript) {
            user.standardOutput.contains("bound")
        }
        let service = try link.start("run", ["--probe", "none", "--verbose"])
        let refusal = "could not raise the link"
        try eventually("it is refused", detail: service.transcript) {
            service.standardError.contains(refusal)
        }
        #expect(try !link.isUp && link.records.count == 1)
        user.send(SIGKILL)
        _ = try user.outcome()
        try eventually("the link is up", detail: service.transcript) { try link.isUp }
        try eventually("the record is gone", detail: service.transcript) { link.records.isEmpty }
        try eventually("it is watched", detail: service.transcript) {
            service.transcript.contains("next check in")
        }
        let refusals = service.standardError.components(separatedBy: refusal).count - 1
        #expect(refusals == 1, "it is reported once: \(service.transcript)")
        service.send(SIGTERM)
        #expect(try service.outcome().status == 0, "\(service.transcript)")
    }

    @Test("probe leaves the link down and keeps the record, because it changes nothing")
    func probe() throws {
        let link = try VirtualLink()
        try link.abandonBounce()
        #expect(try link.run("probe").status == 69)
        #expect(try !link.isUp)
        #expect(link.records.count == 1)
        #expect(try link.run("repair", interface: nil).status == 0)
    }

    @Test(
        "a record of another boot, or half a record, changes nothing",
        arguments: ["boot ", "end"])
    func stale(_ part: String) throws {
        let link = try VirtualLink()
        try link.abandonBounce()
        try forge(link) { text in
            part == "end" ? String(text.dropLast(4)) : text.replacingOccurrences(of: part, with: part + "x")
        }
        let outcome = try link.run("repair", interface: nil)
        #expect(outcome.status == 0 && outcome.words.contains("deleted"), "\(outcome)")
        #expect(try !link.isUp)
        #expect(link.records.isEmpty)
    }

    @Test("a record of other hardware with the same index changes nothing")
    func otherHardware() throws {
        let link = try VirtualLink()
        try link.abandonBounce()
        try forge(link) { text in
            text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
                guard line.hasPrefix("interface ") else { return String(line) }
                let fields = line.split(separator: " ")
                return "interface \(fields[1]) 02:00:00:00:00:99 \(fields[3])"
            }.joined(separator: "\n")
        }
        let outcome = try link.run("repair", interface: nil)
        #expect(outcome.status == 0 && outcome.words.contains("the interface is gone"), "\(outcome)")
        #expect(try !link.isUp)
        #expect(link.records.isEmpty)
    }

    @Test("an interface that was renamed while it was kept down is raised")
    func renamed() throws {
        let link = try VirtualLink()
        try link.abandonBounce()
        try link.nearIP("link set \(VirtualLink.near) name later0")
        let outcome = try link.run("repair", interface: nil)
        #expect(outcome.status == 0 && outcome.words.contains("repair raised the link"), "\(outcome)")
        #expect(try link.nearIP("-oneline link show dev later0").contains(",UP,"))
        #expect(link.records.isEmpty)
    }

    @Test("an interface that is renamed during its repair is watched once, under its new name")
    func renamedMeanwhile() throws {
        let link = try VirtualLink()
        // The link never becomes operational, so the whole settle time passes.
        try link.farIP("link set \(VirtualLink.far) down")
        try link.abandonBounce()
        try forge(link) { $0.replacingOccurrences(of: "settle 5000000000", with: "settle 20000000000") }
        let service = try link.start(
            "run", ["--json", "--interval", "1h", "--probe", "none", VirtualLink.near], interface: "later*")
        try eventually("the link is raised", detail: service.transcript) { try link.isUp }
        try link.nearIP("link set \(VirtualLink.near) down")
        try link.nearIP("link set \(VirtualLink.near) name later0")
        try eventually("the repair is over", within: .seconds(60), detail: service.transcript) {
            service.standardError.contains("repair raised the link")
        }
        let words = ["--json", "--config", link.configuration.path, "--run-dir", link.runDirectory.path]
        var names: [String] = []
        try eventually("it is watched by its name", detail: service.transcript) {
            names = try Program.run(["status"] + words).objects.compactMap { $0["interface"] as? String }
            return names.contains("later0")
        }
        #expect(names == ["later0"])
        service.send(SIGTERM)
        #expect(try service.outcome().status == 0, "\(service.transcript)")
    }

    @Test("a record of another network namespace is left to a repair there")
    func elsewhere() throws {
        let link = try VirtualLink()
        try link.abandonBounce()
        let outside = try Program.run(["repair", "--run-dir", link.runDirectory.path])
        #expect(outside.status == 0 && outside.words.contains("another network namespace"), "\(outside)")
        #expect(link.records.count == 1)
        #expect(try link.run("repair", interface: nil).status == 0)
        #expect(try link.isUp)
    }

    @Test("a refused toggle leaves no guard, no lock, and another namespace's record as it was")
    func refusedBeside() throws {
        let link = try VirtualLink()
        try link.abandonBounce()
        try forge(link) { $0.replacingOccurrences(of: "namespace ", with: "namespace 1") }
        // A link that a user set down is not bounced.
        let outcome = try link.run("toggle")
        #expect(outcome.status == 69, "\(outcome)")
        #expect(try !link.isUp && !link.isLocked(VirtualLink.near))
        #expect(GuardProcesses.mentioning(link.runDirectory.path).isEmpty)
        #expect(link.records.count == 1)
    }

    @Test("a link that a user sets down after the raise is left down by repair")
    func settling() throws {
        let link = try VirtualLink()
        try link.abandonSettling()
        try link.nearIP("link set \(VirtualLink.near) down")
        let outcome = try link.run("repair", interface: nil)
        #expect(outcome.status == 0 && outcome.words.contains("it stays down"), "\(outcome)")
        #expect(try !link.isUp)
        #expect(link.records.isEmpty)
    }

    @Test("if repair is killed after its raise, the next one leaves down what a user has set down since")
    func killedAfterRaise() throws {
        let link = try VirtualLink()
        // The link never becomes operational, so the whole settle time passes.
        try link.farIP("link set \(VirtualLink.far) down")
        try link.abandonBounce()
        try forge(link) { $0.replacingOccurrences(of: "settle 5000000000", with: "settle 30000000000") }
        let repair = try link.start("repair", interface: nil)
        try eventually("repair has raised the link", detail: repair.transcript) {
            try link.isUp && link.records == ["\(VirtualLink.near).settling"]
        }
        repair.send(SIGKILL)
        _ = try repair.outcome()
        try link.nearIP("link set \(VirtualLink.near) down")
        let outcome = try link.run("repair", interface: nil)
        #expect(outcome.status == 0 && outcome.words.contains("it stays down"), "\(outcome)")
        #expect(try !link.isUp)
        #expect(link.records.isEmpty)
    }

    @Test("a record that is a symbolic link is reported, and not followed")
    func symbolicLink() throws {
        let link = try VirtualLink()
        try link.abandonBounce()
        let elsewhere = link.directory.appendingPathComponent("elsewhere")
        try FileManager.default.moveItem(at: link.record, to: elsewhere)
        try FileManager.default.createSymbolicLink(at: link.record, withDestinationURL: elsewhere)
        let outcome = try link.run("repair", interface: nil)
        #expect(outcome.status == 73 && outcome.words.contains("cannot be read"), "\(outcome)")
        #expect(try !link.isUp)
    }
}
