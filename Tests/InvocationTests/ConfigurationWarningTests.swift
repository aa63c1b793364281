import Testing

@testable import Invocation

@MainActor @Suite("Warnings about valid settings that are probably not intended")
struct ConfigurationWarningTests {
    private func warnings(_ text: String?, _ options: String...) throws -> [String] {
        guard case .perform(let request) = try Invocation.parse(["run"] + options) else {
            return ["no request"]
        }
        let file = try text.map { try ConfigurationFile.parse($0, path: "conf") }
        return request.merging(file).warnings(file).map(\.description)
    }

    private static let notForExporter =
        "does not end in .prom, so node_exporter does not read it (choose a name such as wifi-toggler.prom)"
    private static let relative =
        "is relative to the directory in which the program starts (give an absolute path)"
    private static let neverReboots =
        "means that methods are not verified: so none of them counts as failed, and the machine is never"
        + " rebooted (set more than 0, or remove reboot from method)"

    @Test(
        "usual settings cause no warning",
        arguments: [
            "[default]\nmetrics = /var/lib/prometheus/node-exporter/wifi-toggler.prom\n",
            "[default]\nmetrics = none\n", "[default]\nmethod = auto,reset\nsettle = 0\nbounce-on = dns\n",
            "[default]\nmethod = bounce, reboot\n", "[wl*]\nmethod = bounce,reboot\n[eth0]\nsettle = 0\n",
            "[default]\nmethod = bounce,reboot\nsettle = 0\n[wlan0]\nfall = 4\n[default]\nsettle = 30s\n",
            "[eht0]\nmethod = owner\n",
        ])
    func none(text: String) throws {
        #expect(try warnings(text) == [])
    }

    @Test("a relative path of the metrics file causes a warning, as does a name that node_exporter ignores")
    func metrics() throws {
        #expect(
            try warnings("[default]\nmetrics = wifi.prom\n") == [
                "conf:2: metrics: 'wifi.prom' \(Self.relative)"
            ])
        #expect(
            try warnings("[default]\nmetrics = /w.txt\n") == [
                "conf:2: metrics: '/w.txt' \(Self.notForExporter)"
            ])
        #expect(
            try warnings("[default]\nmetrics = wifi\n") == [
                "conf:2: metrics: 'wifi' \(Self.relative)", "conf:2: metrics: 'wifi' \(Self.notForExporter)",
            ])
        // The command line overrides the file, and a warning about an option has no line number.
        #expect(
            try warnings("[default]\nmetrics = wifi\n", "--metrics", "/w") == [
                "--metrics: '/w' \(Self.notForExporter)"
            ])
        #expect(try warnings(nil, "--metrics", "/w.prom").isEmpty)
        // A service adds interface names to the path. No warning is about these.
        #expect(try warnings("[default]\nmetrics = /w.prom\n", "wlan0").isEmpty)
    }

    @Test("a method that is named twice causes a warning, and so do two hooks, of which only the last is run")
    func repeatedMethod() throws {
        func description(_ value: String, _ name: String) -> String {
            "'\(value)' names '\(name)' more than once, and only the last one counts (remove the others)"
        }
        #expect(
            try warnings("[default]\n\nmethod = bounce, owner,bounce\n") == [
                "conf:3: method: " + description("bounce, owner,bounce", "bounce")
            ])
        #expect(
            try warnings("[wlan0]\nmethod = hook:/a,bounce,hook:/b\n") == [
                "conf:2: method: " + description("hook:/a,bounce,hook:/b", "hook")
            ])
        #expect(
            try warnings(nil, "--method", "auto,auto") == ["--method: " + description("auto,auto", "auto")])
    }

    @Test("`settle` 0 causes a warning if an interface's methods include reboot, because it prevents reboots")
    func settle() throws {
        let text = "[default]\nmethod = bounce,reboot\n[wlan0]\nfall = 2\n[wl*]\nsettle = 0s\n"
        #expect(try warnings(text) == ["conf:6: settle: '0s' \(Self.neverReboots)"])
        #expect(try warnings("[wlan0]\nsettle = 0\n[wl*]\nmethod = owner,reboot\n").count == 1)
        #expect(try warnings(text, "--settle", "9s").isEmpty)
        #expect(
            try warnings(nil, "--settle", "0", "--method", "bounce,reboot") == [
                "--settle: '0' \(Self.neverReboots)"
            ])
    }

    @Test("layers beyond the gateway in `bounce-on` cause one warning if the methods include a reboot")
    func layersBeyond() throws {
        let text =
            "[default]\nbounce-on = association, dns,internet\n[wlan0]\nfall = 2\n[wl*]\nmethod = bounce,reboot\n"
        #expect(
            try warnings(text) == [
                "conf:2: bounce-on: 'association, dns,internet' lets a fault at dns and internet reboot the machine,"
                    + " even a fault of the name server or the provider (remove dns and internet, or remove reboot"
                    + " from method)"
            ])
        #expect(try warnings(text, "--bounce-on", "gateway,address").isEmpty)
        #expect(try warnings(text, "--method", "auto").isEmpty)
    }
}
