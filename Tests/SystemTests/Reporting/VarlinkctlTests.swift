import Foundation
import Glibc
import Testing

/// varlinkctl, the client that administrators have, is used as the manual page describes it.
@Suite("The control socket and systemd's varlinkctl", .needsRoot, .needsVarlinkctl)
struct VarlinkctlTests {
    private static let interface = "wifitoggler.Control"

    @Test("varlinkctl shows the service's information, and parses the whole description")
    func introspection() throws {
        let link = try VirtualLink(gateway: .none)
        let service = try link.startQuietService()
        let info = try Varlinkctl.start(["info", "--json=short", link.controlSocket]).outcome()
        #expect(info.status == 0 && info.standardError.isEmpty, "\(info)")
        #expect(info.objects.first?["product"] as? String == "wifi-toggler", "\(info)")
        #expect(
            info.objects.first?["interfaces"] as? [String] == ["org.varlink.service", Self.interface],
            "\(info)")
        // A description that varlinkctl cannot parse is shown as received, with a message on standard error.
        for interface in ["org.varlink.service", Self.interface] {
            let shown = try Varlinkctl.start(["introspect", link.controlSocket, interface]).outcome()
            #expect(shown.status == 0 && shown.standardError.isEmpty, "\(shown)")
            #expect(shown.standardOutput.contains("interface \(interface)\n"), "\(shown)")
        }
        let shown = try Varlinkctl.start(["introspect", link.controlSocket, Self.interface]).outcome()
        // varlinkctl prints the description in its own format, with a field per line.
        #expect(shown.standardOutput.contains("method Status(\n\tinterface: ?string\n) -> ("), "\(shown)")
        #expect(shown.standardOutput.contains("error NotWatched(\n\tinterface: string\n)"), "\(shown)")
        try service.endService()
    }

    @Test("varlinkctl calls Status and History, and shows the name of an error")
    func calls() throws {
        let link = try VirtualLink(gateway: .none)
        let service = try link.startQuietService()
        let status = try call(link, "Status", "{}").outcome()
        let interfaces = status.objects.first?["interfaces"] as? [[String: Any]]
        #expect(status.status == 0 && interfaces?.count == 1, "\(status)")
        #expect(interfaces?.first?["interface"] as? String == VirtualLink.near, "\(status)")
        #expect(interfaces?.first?["condition"] as? String == "healthy", "\(status)")

        let bounced = try call(link, "Toggle", #"{"interface":"\#(VirtualLink.near)","delay_ms":10}"#)
            .outcome()
        #expect(bounced.status == 0 && bounced.objects.first?["status"] as? Int == 0, "\(bounced)")
        let history = try call(link, "History", #"{"since": "7d"}"#, ["--more"]).outcome()
        let records = Varlinkctl.objects(in: history.standardOutput).flatMap {
            $0["records"] as? [[String: Any]] ?? []
        }
        #expect(history.status == 0 && records.map { $0["kind"] as? String } == ["bounce"], "\(history)")

        let nowhere = try call(link, "Status", #"{"interface":"nowhere0"}"#).outcome()
        #expect(nowhere.status == 1, "\(nowhere)")
        #expect(nowhere.standardError.contains("\(Self.interface).NotWatched"), "\(nowhere)")
        try service.endService()
    }

    @Test("varlinkctl monitors the last event, and each later one")
    func monitor() throws {
        let link = try VirtualLink(gateway: .none)
        let service = try link.startQuietService()
        let alone = try call(link, "Monitor", "{}").outcome()
        #expect(alone.status == 1 && alone.standardError.contains("ExpectedMore"), "\(alone)")
        let monitor = try call(link, "Monitor", "{}", ["--more"])
        try eventually("the last event", detail: monitor.transcript) { events(monitor) == 1 }
        service.send(SIGUSR1)
        try eventually("the next event", detail: monitor.transcript) { events(monitor) == 2 }
        #expect(service.cycles == 2, "\(service.transcript)")
        #expect(!monitor.isOver && monitor.standardError.isEmpty, "\(monitor.transcript)")
        try service.endService()
    }

    private func call(
        _ link: VirtualLink, _ method: String, _ parameters: String, _ options: [String] = []
    ) throws -> Child {
        let words = ["call", "--json=short", link.controlSocket, "\(Self.interface).\(method)", parameters]
        return try Varlinkctl.start(words + options)
    }

    private func events(_ monitor: Child) -> Int {
        Varlinkctl.objects(in: monitor.standardOutput).filter { $0["event"] is [String: Any] }.count
    }
}
