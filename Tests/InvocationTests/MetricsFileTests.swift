import Testing

@testable import Invocation

@Suite("The path of the metrics file") struct MetricsFileTests {
    private static func patterns(_ words: [String]) throws -> [InterfacePattern] {
        try words.map { try InterfacePattern($0) }
    }

    @Test("interface names are inserted before the file's extension, and no two sets of names share a path")
    func names() throws {
        let table: [(String, [String], String)] = [
            ("/d/wifi-toggler.prom", [], "/d/wifi-toggler.prom"),
            ("/d/wifi-toggler.prom", ["wlan0"], "/d/wifi-toggler-wlan0.prom"),
            ("/d/wifi-toggler.prom", ["wlan0", "wlan1"], "/d/wifi-toggler-wlan0+wlan1.prom"),
            ("/d/wifi-toggler.prom", ["wlan0+wlan1"], "/d/wifi-toggler-wlan0%2Bwlan1.prom"),
            ("/d/wifi-toggler.prom", ["wl*"], "/d/wifi-toggler-wl%2A.prom"),
            ("/d/wifi-toggler.prom", ["wlan0.7"], "/d/wifi-toggler-wlan0.7.prom"),
            ("/d/wifi-toggler.prom", ["ä"], "/d/wifi-toggler-%C3%A4.prom"),
            ("/d/wifi-toggler.prom", ["a\u{1}"], "/d/wifi-toggler-a%01.prom"),
            ("plain", ["wlan0"], "plain-wlan0"), ("/d.d/plain", ["wlan0"], "/d.d/plain-wlan0"),
            (".hidden", ["wlan0"], ".hidden-wlan0"), ("a.b.prom", ["wlan0"], "a.b-wlan0.prom"),
        ]
        for (path, words, expected) in table {
            #expect(try MetricsFile(path, for: Self.patterns(words)).path == expected)
        }
    }

    @Test("the names of metrics files that other services with the same configuration write are recognised")
    func kin() throws {
        for words in [[], ["wlan0"]] {
            let file = try MetricsFile("/d/wifi-toggler.prom", for: Self.patterns(words))
            for name in ["wifi-toggler.prom", "wifi-toggler-wlan1.prom", "wifi-toggler-wl%2A.prom"] {
                #expect(file.isKin(name), "\(name)")
            }
            let others = [
                "wifi-togglers.prom", "wifi-toggler_old.prom", "wifi-toggler.promo", "my-wifi-toggler.prom",
                "wifi-toggler", ".prom",
                "wifi-toggler-.prom", "wifi-toggler-wlan1.prom.new", "", "wifi-toggler.pro",
            ]
            for name in others { #expect(!file.isKin(name), "\(name)") }
        }
    }

    @Test("interface names are added to a path from the configuration, not to one from the command line")
    @MainActor func shared() throws {
        func file(_ words: [String], _ text: String) throws -> String? {
            guard case .perform(let request) = try Invocation.parse(["run"] + words) else { return nil }
            return request.merging(try ConfigurationFile.parse(text, path: "f")).metricsFile?.path
        }
        let text = "[default]\nmetrics = /d/w.prom\n"
        #expect(try file([], text) == "/d/w.prom")
        #expect(try file(["wlan0"], text) == "/d/w-wlan0.prom")
        #expect(try file(["--metrics", "/e/w.prom", "wlan0"], text) == "/e/w.prom")
        #expect(try file(["wlan0"], "[default]\nmetrics = none\n") == nil)
    }
}
