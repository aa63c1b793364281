import Foundation
import Model
import Testing

@testable import Invocation

@Suite("The configuration file")
struct ConfigurationFileTests {
    @Test(
        "an empty file changes nothing",
        arguments: ["", "\n\n", "# a comment\n; another", "\u{feff}", "[default]", "\r\n"])
    func empty(text: String) throws {
        #expect(try SampleFile.settings(text) == Settings())
    }

    @Test(
        "blanks, comments, BOM and line ends may vary, and the last of equal keys counts",
        arguments: [
            "[default]\ndelay=7s", "[default]\r\n delay\t= 7s \r\n",
            "\u{feff}[default]\ndelay = 7s ; a comment",
            "[default]\n  fall = 3\n  delay = 7s", "[default] ; a comment\ndelay: 7s",
            "  [default]\n\tdelay = 7",
            "[default]\nfall = 1\n[default]\ndelay = 7s", "[default]\ndelay = 1s\ndelay = 7s",
            "# " + String(repeating: "long ", count: 1000) + "\n[default]\ndelay = 7s",
        ])
    func form(text: String) throws {
        #expect(try SampleFile.settings(text).delay == .seconds(7))
    }

    @Test("a yes or no value may be written in each usual form")
    func flags() throws {
        for word in ["yes", "true", "on", "1", "Yes", "ON"] {
            #expect(try SampleFile.settings("[default]\nforce = \(word)").isForced)
        }
        for word in ["no", "false", "off", "0", "No"] {
            #expect(try !SampleFile.settings("[default]\nrestore = \(word)").restores)
        }
    }

    @Test("a line of the maximum length is read whole")
    func longestLine() throws {
        let head = "[default]\nstate-dir = "
        let directory = "/" + String(repeating: "d", count: 197 - "state-dir = /".count)
        let file = try SampleFile.parse(head + directory + "\nfall = 9\n")
        #expect(file.defaults.path(.stateDirectory) == directory)
        #expect(file.defaults.count(.fall) == 9)
    }

    @Test("an http URL may be followed by a space and an expectation; commas separate probes")
    func pages() throws {
        let text = """
            [default]
            probe = dns:a@192.0.2.1,  http:http://a/b%2Cc body=all is well ; a comment
            probe = +command:/usr/local/bin/check
            quorum = 2
            command-user = check
            """
        let settings = try SampleFile.settings(text)
        let page = HTTPQuestion(url: "http://a/b%2Cc", expectation: .body("all is well"))
        #expect(
            settings.probes == [
                ProbeSpec(.dns(name: "a", server: IPAddress("192.0.2.1")!)), ProbeSpec(.http(page)),
                ProbeSpec(.command(path: "/usr/local/bin/check"), isRequired: true),
            ])
        #expect(settings.quorum == 2)
        #expect(try SampleFile.parse(text).defaults.user(.commandUser) == "check")
    }

    @Test("the example file is valid, sets only power-save, and shows the default of every other key")
    func example() throws {
        let url = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "contrib/wifi-toggler.conf.example")
        let text = try String(contentsOf: url, encoding: .utf8)
        var shipped = Settings()
        shipped.powerSave = .auto
        #expect(try SampleFile.settings(text) == shipped)
        // In the file, `# ` begins a comment in words, and `#` without a space a setting with an example
        // value.
        let lines = text.split(separator: "\n").map { line in
            line.hasPrefix("#") && !line.hasPrefix("# ") ? line.dropFirst() : line
        }
        let file = try ConfigurationFile.parse(lines.joined(separator: "\n"), path: "example")
        var layer = OptionLayer()
        for row in OptionTable.rows where row.scope != .commandLine {
            let value = row.name == .powerSave ? "auto" : row.defaultText ?? ""
            try layer.set(row, to: value)
            #expect(lines.contains { $0 == "\(row.name.rawValue) = \(value)" }, "\(row.name)")
        }
        #expect(file.defaults == layer)
        #expect(file.layers(for: "wlan0", addresses: SampleFile.addresses).count == 4)
    }
}
