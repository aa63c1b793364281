import Foundation
import Glibc
import Platform
import Testing

@Suite("Metrics", .needsRoot)
struct MetricsTests {
    private func page(_ link: VirtualLink, for interface: String? = nil) -> URL {
        link.directory.appendingPathComponent("metrics/wifi-toggler\(interface.map { "-\($0)" } ?? "").prom")
    }

    private func makeDirectory(_ link: VirtualLink) throws {
        try FileManager.default.createDirectory(
            at: page(link).deletingLastPathComponent(), withIntermediateDirectories: true)
    }

    private func text(_ link: VirtualLink, for interface: String? = nil) -> String {
        (try? String(contentsOf: page(link, for: interface), encoding: .utf8)) ?? ""
    }

    @Test(
        "a bounce is counted, promtool accepts the file, and node_exporter serves it",
        .needsPrometheus)
    func scraped() throws {
        let link = try VirtualLink()
        try makeDirectory(link)
        try link.keepDefaultRoute()
        try link.cureFarEndByBounce()
        try link.muteFarEnd()
        let options = ReconnectTests.quick + ["--fall", "1", "--interval", "1h", "--grace", "0"]
        let service = try link.start("run", options + ["--metrics", page(link).path])
        let near = "interface=\"\(VirtualLink.near)\""
        let bounced = "wifi_toggler_bounces_total{\(near),outcome=\"healthy\"} 1\n"
        try eventually("the bounce stands in the file", detail: service.transcript + text(link)) {
            text(link).contains(bounced)
        }
        #expect(text(link).contains("wifi_toggler_bounce_causes_total{\(near),cause=\"gateway\"} 1\n"))
        #expect(text(link).contains("wifi_toggler_condition{\(near),condition=\"healthy\"} 1\n"))
        let complaints = try Prometheus.complaints(of: page(link).path)
        #expect(complaints == "")

        let scraped = try scrape(link)
        let lines = Set(
            scraped.split(separator: "\n").filter { $0.hasPrefix("wifi_toggler_") }.map(Self.name))
        let written = Set(text(link).split(separator: "\n").filter { !$0.hasPrefix("#") }.map(Self.name))
        #expect(lines == written)
        #expect(scraped.contains(bounced))
        try service.endService()
        #expect(!FileManager.default.fileExists(atPath: page(link).path), "who has ended tells nothing")
    }

    /// Runs node_exporter, and returns what it serves from the directory.
    private func scrape(_ link: VirtualLink) throws -> String {
        try link.nearIP("link set lo up")
        let exporter = try Child([
            "ip", "netns", "exec", link.nearNamespace, Prometheus.exporter, "--collector.disable-defaults",
            "--collector.textfile", "--web.listen-address=127.0.0.1:9100", "--web.disable-exporter-metrics",
            "--collector.textfile.directory=\(page(link).deletingLastPathComponent().path)",
        ])
        var scraped = ""
        try eventually("node_exporter answers", detail: exporter.transcript) {
            let curl = ["curl", "-s", "--max-time", "5", "http://127.0.0.1:9100/metrics"]
            scraped = try Child(["ip", "netns", "exec", link.nearNamespace] + curl).outcome().standardOutput
            return !scraped.isEmpty
        }
        #expect(scraped.contains("node_textfile_scrape_error 0\n"), "\(exporter.transcript)\(scraped)")
        return scraped
    }

    /// The name and labels of a line as a set, because node_exporter may change their order.
    private static func name(_ line: some StringProtocol) -> Set<String> {
        let series = line.split(separator: " ").dropLast().joined(separator: " ")
        return Set(series.split { "{,}".contains($0) }.map(String.init))
    }

    @Test(
        "services with a shared configuration write a file each, and share no series",
        .needsPrometheus)
    func instances() throws {
        let link = try VirtualLink(gateway: .none)
        try makeDirectory(link)
        try link.configure("[default]\nmetrics = \(page(link).path)\n")
        try link.nearIP("link add other0 type veth peer name other1")
        let names = [VirtualLink.near, "other0"]
        let services = try names.map {
            try link.start("run", ["--json", "--interval", "1h", "--probe", "none"], interface: $0)
        }
        for (name, service) in zip(names, services) {
            try eventually("\(name) is checked", detail: service.transcript) {
                text(link, for: name).contains("checks_total{interface=\"\(name)\"")
            }
        }
        let scraped = try scrape(link)
        for name in names {
            #expect(scraped.contains("wifi_toggler_hold_active{interface=\"\(name)\"} 0\n"), "\(scraped)")
            #expect(scraped.contains("interfaces=\"\(name)\""), "\(scraped)")
        }
        // A service removes its file when it ends. The file of a killed service is removed by the next one
        // that starts.
        try services[0].endService()
        #expect(text(link, for: names[0]).isEmpty && !text(link, for: names[1]).isEmpty)
        let again = try link.start("run", ["--interval", "1h", "--probe", "none"], interface: names[0])
        try eventually("it is there again", detail: again.transcript) {
            !text(link, for: names[0]).isEmpty
        }
        #expect(!text(link, for: names[1]).isEmpty, "its service lives")
        services[1].send(SIGKILL)
        _ = try services[1].outcome()
        #expect(!text(link, for: names[1]).isEmpty)
        let every = try link.start("run", ["--interval", "1h", "--probe", "none"], interface: "oth*")
        try eventually("it is taken away", detail: every.transcript) { text(link, for: names[1]).isEmpty }
        #expect(!text(link, for: names[0]).isEmpty, "its service lives")
        try again.endService()
        try every.endService()
        #expect(DirectoryListing.of(page(link).deletingLastPathComponent().path, atMost: 9) == [])
    }

    @Test(
        "over the control socket metrics need no file, and promtool accepts them", .needsVarlink,
        .needsPrometheus)
    func asked() throws {
        let link = try VirtualLink(gateway: .none)
        let service = try link.start("run", ["--json", "--interval", "1h", "--probe", "none"])
        try eventually("the first cycle", detail: service.transcript) { !service.standardOutput.isEmpty }
        let socket = link.controlSocket
        let reply = try VarlinkClient.call(socket, "Metrics")
        let text = try #require(reply["text"] as? String)
        let check = "wifi_toggler_checks_total{interface=\"\(VirtualLink.near)\",verdict=\"healthy\"} 1\n"
        #expect(text.contains(check), "\(text)")
        let file = link.directory.appendingPathComponent("asked")
        try Data(text.utf8).write(to: file)
        #expect(try Prometheus.complaints(of: file.path) == "")
        // An interface that has gone has no metrics.
        try link.removeCable()
        try eventually("the interface is gone", detail: service.transcript) {
            let text = try VarlinkClient.call(socket, "Metrics")["text"] as? String ?? ""
            return text.contains("wifi_toggler_build_info")
                && !text.contains("interface=\"\(VirtualLink.near)\"")
        }
        try service.endService()
    }

    @Test("the file soon shows a hold and its end, without a check")
    func hold() throws {
        let link = try VirtualLink(gateway: .none)
        try makeDirectory(link)
        let service = try link.start(
            "run", ["--interval", "1h", "--probe", "none", "--metrics", page(link).path])
        let held = "wifi_toggler_hold_active{interface=\"\(VirtualLink.near)\"}"
        try eventually("there is no hold", detail: service.transcript) { text(link).contains("\(held) 0\n") }
        for (words, value) in [("1h", 1), ("0", 0)] {
            let outcome = try link.runHold([words, VirtualLink.near])
            #expect(outcome.status == 0, "\(outcome)")
            try eventually("the file shows it", detail: service.transcript + text(link)) {
                text(link).contains("\(held) \(value)\n")
            }
        }
        try service.endService()
    }

    @Test(
        "a missing directory is reported once, does not stop checks, and is used once it is there")
    func missing() throws {
        let link = try VirtualLink(gateway: .none)
        try link.configure("[default]\nmetrics = \(page(link).path)\n")
        let near = page(link, for: VirtualLink.near)
        let service = try link.start("run", ["--json", "--interval", "1h", "--probe", "none"])
        let words = "could not write the metrics to \(near.path): No such file or directory"
        try eventually("it says so", detail: service.transcript) { service.standardError.contains(words) }
        // A change that the service could write. It tries again after a second at the earliest, perhaps only
        // when the directory is there.
        try link.nearIP("link set \(VirtualLink.near) down")
        try eventually("it sees that", detail: service.transcript) {
            service.standardError.contains("administratively down")
        }
        try makeDirectory(link)
        try link.nearIP("link set \(VirtualLink.near) up")
        try eventually("the file is there", detail: service.transcript) {
            !text(link, for: VirtualLink.near).isEmpty
        }
        #expect(service.standardError.ranges(of: words).count == 1, "\(service.transcript)")
        // Without the key in the configuration, the file is removed.
        try link.configure("")
        service.send(SIGHUP)
        try eventually("the file is gone", detail: service.transcript) {
            text(link, for: VirtualLink.near).isEmpty
        }
        try service.endService()
    }

    @Test(
        "the alert rules pass promtool's tests, and the dashboard's queries are valid",
        .needsPrometheus)
    func rules() throws {
        let monitoring = Prometheus.root + "/contrib/monitoring"
        let rules = try Child([Prometheus.tool, "check", "rules", monitoring + "/wifi-toggler.rules.yml"])
            .outcome()
        #expect(rules.status == 0, "\(rules)")
        let test = try Child([
            Prometheus.tool, "test", "rules", Prometheus.root + "/Tests/Monitoring/rules.test.yml",
        ])
        .outcome()
        #expect(test.status == 0, "\(test)")
        let data = try Data(contentsOf: URL(fileURLWithPath: monitoring + "/dashboard.json"))
        let board = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let layers = try #require(board["panels"] as? [[String: Any]])
        let targets = layers.flatMap { $0["targets"] as? [[String: Any]] ?? [] }
        let questions = targets.compactMap { $0["expr"] as? String }
        #expect(questions.count == targets.count && questions.count >= layers.count && !layers.isEmpty)
        let records = questions.enumerated().map { "  - record: a\($0)\n    expr: '\($1)'\n" }
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
            "dashboard-\(UUID().uuidString)")
        try Data(("groups:\n- name: dashboard\n  rules:\n" + records.joined()).utf8).write(to: directory)
        defer { try? FileManager.default.removeItem(at: directory) }
        let asked = try Child([Prometheus.tool, "check", "rules", directory.path]).outcome()
        #expect(asked.status == 0, "\(asked)")
    }
}
