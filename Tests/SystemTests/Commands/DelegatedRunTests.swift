import Foundation
import Glibc
import Testing

@Suite("toggle and reconnect through the service", .needsRoot)
struct DelegatedRunTests {
    /// Starts a service, and waits for its first check. Without a request, the next check comes an hour
    /// later.
    private func serve(_ link: VirtualLink, _ options: [String] = []) throws -> Child {
        let service = try link.start(
            "run", ["--json", "--verbose", "--interval", "1h", "--probe", "none"] + options)
        try eventually("the first cycle", detail: service.transcript) {
            !RunOutcome.objects(in: service.standardOutput).isEmpty
        }
        return service
    }

    @Test(
        "a toggle bounces once, client and service report the bounce, and the history has it"
    )
    func toggle() throws {
        let link = try VirtualLink(gateway: .none)
        let trace = try LinkTrace(link)
        let service = try serve(link)
        let text = try link.run("toggle", ["--delay", "150ms", "--wait", "30s"])
        #expect(text.status == 0, "\(text)")
        let near = VirtualLink.near
        #expect(
            text.standardError.contains("\(near): bouncing the link: requested by toggle or --force"),
            "\(text)")
        #expect(text.standardError.contains("\(near): link down, kept down for 150ms"), "\(text)")
        #expect(text.standardOutput.hasPrefix("\(near): back "), "\(text)")
        #expect(!text.standardOutput.contains("next check"), "\(text)")
        let quiet = try link.run("toggle", ["--delay", "0", "--wait", "30s", "--quiet", "--json"])
        #expect(quiet.status == 0 && quiet.standardError.isEmpty, "\(quiet)")
        #expect(quiet.objects.map { $0["action"] as? String } == ["bounced"], "\(quiet)")
        #expect(quiet.objects.first?["next"] is NSNull, "\(quiet)")
        try trace.catchUp()
        #expect(trace.changes.map(\.isUp) == [false, true, false, true])
        let told = RunOutcome.objects(in: service.standardOutput).map { $0["action"] as? String }
        #expect(told == ["none", "bounced", "bounced"], "\(service.transcript)")
        #expect(service.standardError.contains("toggle requested through the control socket"))
        let status = try Program.run(["status", "--json"] + link.files.prefix(4))
        let last = status.objects.first?["last_action"] as? [String: Any]
        #expect(last?["cause"] as? String == "requested by toggle or --force", "\(status)")
        let history = try Program.run(["history", "--json"] + link.files.prefix(2) + link.files.suffix(2))
        #expect(history.objects.map { $0["by"] as? String } == ["run", "run"], "\(history)")
        try service.endService()
    }

    @Test("if the result of a toggle by the service cannot be written, the status is 73")
    func fullDisk() throws {
        let link = try VirtualLink(gateway: .none)
        let service = try serve(link)
        let options = ["--delay", "0", "--wait", "30s", "--json"]
        let outcome = try link.start("toggle", options, prefix: Program.withFullOutput).outcome()
        #expect(outcome.status == 73, "\(outcome)")
        #expect(service.standardError.contains("toggle requested through the control socket"))
        try service.endService()
    }

    @Test("under nohup(1), the end of the terminal does not end a command that the service carries out")
    func hangup() throws {
        let link = try VirtualLink(gateway: .none)
        let service = try serve(link)
        let client = try link.start("toggle", ["--delay", "2s", "--wait", "30s"], prefix: ["nohup"])
        try eventually("the service acts", detail: service.transcript) {
            service.standardError.contains("toggle requested through the control socket")
        }
        client.send(SIGHUP)
        let outcome = try client.outcome()
        #expect(outcome.status == 0, "\(outcome)")
        try service.endService()
    }

    @Test("a reconnect of a healthy link checks it and leaves it alone")
    func reconnect() throws {
        let link = try VirtualLink(gateway: .none)
        let trace = try LinkTrace(link)
        let service = try serve(link)
        let outcome = try link.run("reconnect", ["--wait", "30s"])
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.standardOutput.hasPrefix("\(VirtualLink.near): healthy: "), "\(outcome)")
        #expect(outcome.standardOutput.split(separator: "\n").count == 1, "\(outcome)")
        #expect(RunOutcome.objects(in: service.standardOutput).count == 2, "\(service.transcript)")
        try trace.catchUp()
        #expect(try trace.isUntouched())
        try service.endService()
    }

    @Test("a link that a user set down is refused with status 69, and stays down")
    func refused() throws {
        let link = try VirtualLink(gateway: .none)
        let service = try serve(link)
        try link.nearIP("link set \(VirtualLink.near) down")
        let outcome = try link.run("toggle", ["--wait", "0"])
        #expect(outcome.status == 69, "\(outcome)")
        #expect(outcome.standardError.contains("\(VirtualLink.near): no bounce: "), "\(outcome)")
        #expect(outcome.standardOutput.isEmpty, "\(outcome)")
        #expect(try !link.isUp)
        try service.endService()
    }

    @Test("a second toggle during the first one joins it, and the link is bounced once")
    func together() throws {
        let link = try VirtualLink(gateway: .none)
        let trace = try LinkTrace(link)
        let service = try serve(link)
        let first = try link.start("toggle", ["--delay", "10s", "--wait", "30s"])
        _ = try trace.changes(atLeast: 1)
        let second = try link.run("toggle", ["--delay", "0", "--wait", "30s", "--json"])
        #expect(second.status == 0, "\(second)")
        #expect(second.objects.first?["action"] as? String == "bounced", "\(second)")
        #expect(try first.outcome().status == 0)
        try trace.catchUp()
        #expect(trace.changes.map(\.isUp) == [false, true])
        try service.endService()
    }

    @Test("a toggle with options that the service does not accept says so, and the lock makes it end with 75")
    func ownOptions() throws {
        let link = try VirtualLink(gateway: .none)
        let trace = try LinkTrace(link)
        let service = try serve(link)
        let outcome = try link.run("toggle", ["--settle", "1s", "--method", "bounce", "--wait", "0"])
        #expect(outcome.status == 75, "\(outcome)")
        #expect(outcome.standardError.contains("does not accept --settle, --method"), "\(outcome)")
        let dryRun = try link.run("toggle", ["--dry-run"])
        #expect(dryRun.status == 0, "\(dryRun)")
        try trace.catchUp()
        #expect(try trace.isUntouched())
        try service.endService()
    }

    @Test("a hung service is not waited for, and does not carry out the request later")
    func hung() throws {
        let link = try VirtualLink(gateway: .none)
        let trace = try LinkTrace(link)
        let service = try serve(link)
        service.send(SIGSTOP)
        let outcome = try link.run("toggle", ["--wait", "0"])
        #expect(outcome.status == 75, "\(outcome)")
        service.send(SIGCONT)
        let reconnect = try link.run("reconnect", ["--wait", "30s"])
        #expect(reconnect.status == 0, "\(reconnect)")
        try trace.catchUp()
        #expect(try trace.isUntouched())
        try service.endService()
    }

    @Test("a client that is told to end leaves the bounce to the service")
    func interrupted() throws {
        let link = try VirtualLink(gateway: .none)
        let trace = try LinkTrace(link)
        let service = try serve(link)
        let toggle = try link.start("toggle", ["--delay", "10s"])
        _ = try trace.changes(atLeast: 1)
        toggle.send(SIGINT)
        let outcome = try toggle.outcome()
        #expect(outcome.status == 2, "\(outcome)")
        #expect(outcome.standardError.contains("the service continues the bounce"), "\(outcome)")
        try eventually("the bounce has ended", detail: service.transcript) {
            RunOutcome.objects(in: service.standardOutput).count == 2
        }
        try trace.catchUp()
        #expect(trace.changes.map(\.isUp) == [false, true])
        try service.endService()
    }

    @Test(
        "if the service dies or is told to end during a toggle, the client says so, and the link is up",
        arguments: [SIGKILL, SIGTERM])
    func death(_ signal: Int32) throws {
        let link = try VirtualLink(gateway: .none)
        let trace = try LinkTrace(link)
        let service = try serve(link)
        let toggle = try link.start("toggle", ["--delay", "60s", "--wait", "30s"])
        _ = try trace.changes(atLeast: 1)
        service.send(signal)
        let outcome = try toggle.outcome()
        #expect(outcome.status == 2, "\(outcome)")
        let words =
            signal == SIGKILL
            ? "has ended in the middle of the bounce" : "the program ends during a bounce"
        #expect(outcome.standardError.contains(words), "\(outcome)")
        #expect(outcome.standardOutput.isEmpty, "\(outcome)")
        try eventually("the link is up again") { try link.isUp }
        _ = try service.outcome()
        // A socket file that a killed service has left does not disturb a later run.
        let alone = try link.run("toggle", ["--delay", "0", "--probe", "none"])
        #expect(alone.status == 0, "\(alone)")
    }
}
