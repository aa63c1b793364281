import Foundation
import Glibc
import Platform
import Testing

@Suite("The control socket", .needsRoot)
struct ControlTests {
    private static let quiet = ["--json", "--interval", "1h", "--probe", "none"]

    /// A service that has made its first check.
    private func serve(_ link: VirtualLink, prefix: [String] = []) throws -> Child {
        let service = try link.start("run", Self.quiet, prefix: prefix)
        try eventually("the first cycle", detail: service.transcript) {
            !RunOutcome.objects(in: service.standardOutput).isEmpty
        }
        return service
    }

    private func end(_ service: Child, _ link: VirtualLink) throws {
        try service.endService()
        #expect(!FileManager.default.fileExists(atPath: link.controlSocket), "the socket is left behind")
    }

    private func connect(_ link: VirtualLink) throws -> BlockingStream {
        try BlockingStream.connect(to: "control", in: link.runDirectory.path, before: soon)
    }

    private var soon: Int64 { BootClock.now() + 60_000_000_000 }

    // MARK: Another project's client

    @Test(
        "a client without prior knowledge reads the description, and calls the methods in it", .needsVarlink)
    func stranger() throws {
        let link = try VirtualLink(gateway: .none)
        let service = try serve(link)
        let described = try VarlinkClient.start(link.controlSocket, ["describe"]).outcome()
        #expect(described.status == 0, "\(described)")
        let members = described.objects.map { $0["members"] as? [String] ?? [] }
        #expect(members.first?.contains("GetInfo") == true, "\(described)")
        #expect(
            Set(["Status", "Monitor", "Metrics", "History", "Cycle", "Hold", "Toggle", "Reconnect"]).isSubset(
                of: members.last ?? []),
            "\(described)")
        let status = try VarlinkClient.call(link.controlSocket, "Status")
        let interfaces = try #require(status["interfaces"] as? [[String: Any]])
        #expect(interfaces.map { $0["interface"] as? String } == [VirtualLink.near])
        #expect(interfaces[0]["condition"] as? String == "healthy")
        let nowhere = try VarlinkClient.call(link.controlSocket, "Status", #"{"interface":"nowhere0"}"#)
        #expect(nowhere["error"] as? String == "wifitoggler.Control.NotWatched")
        try end(service, link)
    }

    @Test("Cycle causes a check at once, and Hold holds and releases", .needsVarlink)
    func acts() throws {
        let link = try VirtualLink(gateway: .none)
        let service = try serve(link)
        #expect(try VarlinkClient.call(link.controlSocket, "Cycle").isEmpty)
        try eventually("a cycle long before the hour", detail: service.transcript) {
            RunOutcome.objects(in: service.standardOutput).count == 2
        }
        let near = #"{"interface":"\#(VirtualLink.near)","seconds":"#
        #expect(try VarlinkClient.call(link.controlSocket, "Hold", near + "3600}").isEmpty)
        let held = try VarlinkClient.call(link.controlSocket, "Status")
        let words = (held["interfaces"] as? [[String: Any]])?.first?["held"] as? [String]
        #expect(words?.first?.contains("held by 'wifi-toggler hold'") == true, "\(held)")
        #expect(link.records.contains { $0 == "\(VirtualLink.near).hold" }, "\(link.records)")
        #expect(try VarlinkClient.call(link.controlSocket, "Hold", near + "0}").isEmpty)
        #expect(!link.records.contains { $0.hasSuffix(".hold") }, "\(link.records)")
        #expect(service.standardError.contains("released"), "\(service.transcript)")
        try end(service, link)
    }

    @Test("Toggle bounces and Reconnect checks, and the reply has the result", .needsVarlink)
    func requests() throws {
        let link = try VirtualLink(gateway: .none)
        let trace = try LinkTrace(link)
        let service = try serve(link)
        let near = #"{"interface":"\#(VirtualLink.near)""#
        let looked = try VarlinkClient.call(link.controlSocket, "Reconnect", near + "}")
        #expect(looked["status"] as? Int == 0, "\(looked)")
        #expect((looked["event"] as? [String: Any])?["action"] as? String == "none", "\(looked)")
        let bounced = try VarlinkClient.call(link.controlSocket, "Toggle", near + #","delay_ms":100}"#)
        #expect(bounced["status"] as? Int == 0, "\(bounced)")
        #expect((bounced["event"] as? [String: Any])?["action"] as? String == "bounced", "\(bounced)")
        try trace.catchUp()
        #expect(trace.changes.map(\.isUp) == [false, true])
        let nowhere = try VarlinkClient.call(link.controlSocket, "Toggle", #"{"interface":"nowhere0"}"#)
        #expect(nowhere["error"] as? String == "wifitoggler.Control.NotWatched", "\(nowhere)")
        try end(service, link)
    }

    @Test("Monitor sends the last event, then each one that run prints, to all clients", .needsVarlink)
    func monitor() throws {
        let link = try VirtualLink(gateway: .none)
        let service = try serve(link)
        let monitors = try (1...3).map { _ in try VarlinkClient.start(link.controlSocket, ["monitor", "2"]) }
        for monitor in monitors {
            try eventually("the last event", detail: monitor.transcript) { !monitor.standardOutput.isEmpty }
        }
        service.send(SIGUSR1)
        try eventually("the next cycle", detail: service.transcript) {
            RunOutcome.objects(in: service.standardOutput).count == 2
        }
        let told = RunOutcome.objects(in: service.standardOutput)
        for monitor in monitors {
            let outcome = try monitor.outcome()
            let events = outcome.objects.compactMap { $0["event"] as? [String: Any] }
            #expect(events.count == 2, "\(outcome)")
            for (event, line) in zip(events, told) {
                #expect(event["verdict"] as? String == line["verdict"] as? String)
                #expect((event["evidence"] as? [Any])?.count == (line["evidence"] as? [Any])?.count)
            }
        }
        try end(service, link)
    }

    @Test("without the group only root may connect, and with it members may read", .needsVarlink)
    func permissions() throws {
        let link = try VirtualLink(gateway: .none)
        chmod(link.directory.path, 0o711)
        let nobody = "65534:65534:"
        var service = try serve(link)
        let refused = try VarlinkClient.start(link.controlSocket, ["--as", nobody, "call", "Status"])
            .outcome()
        #expect(refused.status == 3, "\(refused)")
        let status = try asNobody(link)
        #expect(status.status == 77 && status.standardError.contains("group wifi-toggler"), "\(status)")
        try end(service, link)

        // The machine's own file with one more line; ip netns exec gives each program mounts of its own.
        let groups = link.directory.appendingPathComponent("group")
        let text = try String(contentsOfFile: "/etc/group", encoding: .utf8)
        try Data(("wifi-toggler:x:4242:\n" + text).utf8).write(to: groups)
        let script = "mount --bind \(groups.path) /etc/group && exec \"$@\""
        service = try serve(link, prefix: ["sh", "-c", script, "sh"])
        let member = nobody + "4242"
        #expect(try VarlinkClient.call(link.controlSocket, "Status", as: member)["interfaces"] != nil)
        #expect(try VarlinkClient.call(link.controlSocket, "History", as: member)["records"] != nil)
        let cycle = try VarlinkClient.call(link.controlSocket, "Cycle", as: member)
        #expect(cycle["error"] as? String == "org.varlink.service.PermissionDenied", "\(cycle)")
        let hold = try VarlinkClient.call(link.controlSocket, "Hold", #"{"seconds":60}"#, as: member)
        #expect(hold["error"] as? String == "org.varlink.service.PermissionDenied", "\(hold)")
        #expect(!link.records.contains { $0.hasSuffix("hold") }, "\(link.records)")
        let near = #"{"interface":"\#(VirtualLink.near)"}"#
        let toggle = try VarlinkClient.call(link.controlSocket, "Toggle", near, as: member)
        #expect(toggle["error"] as? String == "org.varlink.service.PermissionDenied", "\(toggle)")
        #expect(!service.standardError.contains("requested"), "\(service.transcript)")
        let stranger = try VarlinkClient.start(link.controlSocket, ["--as", nobody, "call", "Status"])
            .outcome()
        #expect(stranger.status == 3, "\(stranger)")
        try end(service, link)
    }

    /// Runs `status` as the user nobody, who may not enter the program's directory, so the program's file is
    /// opened before.
    private func asNobody(_ link: VirtualLink) throws -> RunOutcome {
        let script = """
            import os, sys
            program = os.open(sys.argv[1], os.O_RDONLY)
            os.setgroups([])
            os.setresgid(65534, 65534, 65534)
            os.setresuid(65534, 65534, 65534)
            os.execve(program, ["wifi-toggler"] + sys.argv[2:], os.environ)
            """
        chmod(link.configuration.path, 0o644)
        return try Child(
            [
                "python3", "-c", script, Program.path, "status", "--config", link.configuration.path,
                "--run-dir", link.runDirectory.path,
            ]
        ).outcome()
    }

    // MARK: Slow, hostile and silent clients

    private static let call = Array(#"{"method":"wifitoggler.Control.Status"}"#.utf8) + [0]

    /// Whether the service still answers a new client.
    private func isAnswering(_ link: VirtualLink) throws -> Bool {
        let stream = try connect(link)
        try stream.send(Self.call, before: soon)
        return try !stream.receive(before: soon).isEmpty
    }

    @Test("many silent clients neither keep other clients out nor delay the service's end")
    func silent() throws {
        let link = try VirtualLink(gateway: .none)
        let service = try serve(link)
        let crowd = try (0..<40).map { _ in try connect(link) }
        #expect(try isAnswering(link))
        // The first client was disconnected; the last ones are still connected.
        #expect(try crowd[0].receive(before: soon).isEmpty)
        try end(service, link)
        #expect(try crowd[39].receive(before: soon).isEmpty)
    }

    @Test(
        "a client that sends anything but Varlink, or an endless message, is disconnected",
        arguments: ["GET / HTTP/1.1\r\n\r\n\0", String(repeating: "x", count: 70_000)])
    func rude(_ words: String) throws {
        let link = try VirtualLink(gateway: .none)
        let service = try serve(link)
        let stream = try connect(link)
        // The client may be disconnected before it has sent everything.
        try? stream.send(Array(words.utf8), before: soon)
        let answer = (try? stream.receive(before: soon)) ?? []
        #expect(answer.isEmpty)
        #expect(try isAnswering(link))
        #expect(!service.isOver)
        try end(service, link)
    }

    @Test("a client that does not read is disconnected, and checks go on")
    func slow() throws {
        let link = try VirtualLink(gateway: .none)
        let service = try serve(link)
        let stream = try connect(link)
        let isGone = (0..<10_000).contains { _ in
            (try? stream.send(Self.call, before: soon)) == nil
        }
        #expect(isGone)
        service.send(SIGUSR1)
        try eventually("the next cycle", detail: service.transcript) {
            RunOutcome.objects(in: service.standardOutput).count == 2
        }
        #expect(try isAnswering(link))
        try end(service, link)
    }

    // MARK: Calls that want no reply

    private static func toggle(_ interface: String) -> [UInt8] {
        let parameters = #"{"interface":"\#(interface)","delay_ms":100}"#
        return Array(
            #"{"method":"wifitoggler.Control.Toggle","parameters":\#(parameters),"oneway":true}"#.utf8) + [0]
    }

    /// The interfaces that the service has bounced.
    private func bounced(_ service: Child) -> [String] {
        RunOutcome.objects(in: service.standardOutput).filter { $0["action"] as? String == "bounced" }
            .compactMap { $0["interface"] as? String }
    }

    @Test("two toggles at once bounce their two interfaces, or their common interface once")
    func oneway() throws {
        let link = try VirtualLink(gateway: .none)
        try link.nearIP("link add other0 type veth peer name other1")
        for name in ["other1", "other0"] { try link.nearIP("link set \(name) up") }
        // With an address the link is healthy, so that its cycle ends at once after the bounce.
        try link.nearIP("address add 10.78.0.1/24 dev other0")
        let service = try link.start("run", Self.quiet + ["other0"])
        try eventually("the first cycles", detail: service.transcript) { service.cycles == 2 }
        let stream = try connect(link)
        try stream.send(Self.toggle(VirtualLink.near) + Self.toggle("other0"), before: soon)
        try eventually("both have bounced", detail: service.transcript) {
            Set(bounced(service)) == [VirtualLink.near, "other0"]
        }
        let trace = try LinkTrace(link)
        try stream.send(Self.toggle(VirtualLink.near) + Self.toggle(VirtualLink.near), before: soon)
        try eventually("it has bounced again", detail: service.transcript) { bounced(service).count == 3 }
        // If the second call has caused another bounce, that bounce begins before the check that this signal
        // requests.
        let cycles = service.cycles
        service.send(SIGUSR1)
        try eventually("a cycle of both", detail: service.transcript) { service.cycles >= cycles + 2 }
        try trace.catchUp()
        #expect(trace.changes.map(\.isUp) == [false, true])
        #expect(bounced(service).count == 3, "\(service.transcript)")
        try end(service, link)
    }

    // MARK: One service per directory

    @Test("the socket of a killed service is replaced")
    func stale() throws {
        let link = try VirtualLink(gateway: .none)
        let first = try serve(link)
        first.send(SIGKILL)
        _ = try first.outcome()
        #expect(FileManager.default.fileExists(atPath: link.controlSocket))
        let second = try serve(link)
        #expect(try isAnswering(link))
        #expect(!second.standardError.contains("control"), "\(second.transcript)")
        try end(second, link)
    }

    @Test("a running service keeps its socket, and a second service reports that and goes on without one")
    func living() throws {
        let link = try VirtualLink(gateway: .none)
        try link.nearIP("link add other0 type veth peer name other1")
        try link.nearIP("link set other1 up")
        try link.nearIP("address add 10.78.0.1/24 dev other0")
        try link.nearIP("link set other0 up")
        let first = try serve(link)
        let second = try link.start("run", Self.quiet, interface: "other0")
        try eventually("a cycle of the second", detail: second.transcript) {
            !RunOutcome.objects(in: second.standardOutput).isEmpty
        }
        #expect(second.standardError.contains("another service uses it"), "\(second.transcript)")
        second.send(SIGTERM)
        #expect(try second.outcome().status == 0)
        let files = ["--config", link.configuration.path, "--run-dir", link.runDirectory.path]
        let status = try Program.run(["status", "--json"] + files)
        #expect(status.objects.map { $0["interface"] as? String } == [VirtualLink.near], "\(status)")
        try end(first, link)
    }

    @Test("a symbolic link in the socket's place is reported and not followed, and the service goes on")
    func symbolicLink() throws {
        let link = try VirtualLink(gateway: .none)
        try FileManager.default.createDirectory(
            at: link.runDirectory, withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o755])
        try FileManager.default.createSymbolicLink(
            atPath: link.controlSocket, withDestinationPath: link.directory.path + "/elsewhere")
        let service = try serve(link)
        #expect(service.standardError.contains("no control socket"), "\(service.transcript)")
        #expect(!FileManager.default.fileExists(atPath: link.directory.path + "/elsewhere"))
        service.send(SIGTERM)
        #expect(try service.outcome().status == 0)
        let left = try? FileManager.default.destinationOfSymbolicLink(atPath: link.controlSocket)
        #expect(left != nil, "it was not ours to remove")
    }
}
