import Model
import Testing

@testable import Invocation

@Suite("The effective configuration")
struct EffectiveConfigurationTests {
    @MainActor private func effective(_ text: String, _ arguments: [String] = []) throws -> (
        text: String, request: Request, file: ConfigurationFile
    ) {
        guard case .perform(let plain) = try Invocation.parse(["run"] + arguments) else {
            throw UsageError.commandMissing
        }
        let file = try ConfigurationFile.parse(text, path: "test.conf")
        let request = plain.merging(file)
        return (EffectiveConfiguration.text(of: request, file), request, file)
    }

    @Test("each key that is set nowhere has its default")
    @MainActor func defaults() throws {
        let keys = OptionTable.rows.filter { $0.scope != .commandLine }
        let expected = keys.map { "\($0.name.rawValue) = \($0.defaultText ?? "?")\n" }
        let text = try effective("").text.replacing("backoff-max = 60m", with: "backoff-max = 1h")
        #expect(text == "[default]\n" + expected.joined())
    }

    @Test("the file's values are printed by section; the command line's replace them, and are in [default]")
    @MainActor func sections() throws {
        let text = try effective(
            """
            [wl*]
            probe = icmp, +dns:example.net
            delay = 5
            [default]
            quiet = yes
            quiet-hours = 22:00-06:00
            quiet-hours = sat 10:00-12:00
            [mac=02:00:00:00:00:0A]
            fall = 7
            """, ["--delay", "1s", "--verbose"]
        ).text
        #expect(text.contains("\ndelay = 1s\n"))
        #expect(text.contains("\nquiet = no\nverbose = yes\n"))
        #expect(text.contains("\nquiet-hours = 22:00-06:00\nquiet-hours = sat 10:00-12:00\n"))
        #expect(
            text.hasSuffix(
                "\n\n[wl*]\nprobe = icmp\nprobe = +dns:example.net\n\n[mac=02:00:00:00:00:0a]\nfall = 7\n"))
    }

    @Test(
        "quiet hours are consulted only if a section or the command line sets them",
        arguments: [
            ("", [], false), ("[default]\nfall = 2\n", ["--fall", "3"], false),
            ("", ["--quiet-hours", "22:00-06:00"], true), ("[wlan9]\nquiet-hours = 22:00-06:00\n", [], true),
        ] as [(String, [String], Bool)])
    @MainActor func quietHours(text: String, arguments: [String], isGiven: Bool) throws {
        let (_, request, file) = try effective(text, arguments)
        #expect(request.mayBeQuiet(file: file) == isGiven)
    }

    @Test("a value that no file can hold is printed as a comment of one line")
    @MainActor func commandLineOnly() throws {
        let text = try effective(
            "", ["-p", "http:http://a/ body=x,y", "--state-dir", "/a ;b", "--run-dir", "/a\nfall = 9"]
        ).text
        #expect(text.contains("\n# only on the command line: --probe 'http:http://a/ body=x,y'\n"))
        #expect(text.contains("\n# only on the command line: --state-dir '/a ;b'\n"))
        #expect(text.contains("\n# only on the command line: --run-dir '/a\\u{a}fall = 9'\n"))
        #expect(!text.contains("\nfall = 9"))
    }

    @Test(
        "the printed configuration has the effect of file and command line, and is printed the same again")
    @MainActor func fixedPoint() throws {
        let seed: UInt64 = 21
        var random = SplitMix64(state: seed)
        let rows = OptionTable.rows.filter { $0.scope != .commandLine }
        let sections = ["default", "wl*", "wlan?", "wlan0", "mac=02:00:00:00:00:01"]
        let addresses = [MACAddress([2, 0, 0, 0, 0, 1]), MACAddress([2, 0, 0, 0, 0, 2])]
        for round in 0..<2000 {
            var lines: [String] = []
            for _ in 0..<Int.random(in: 0...12, using: &random) {
                let section = random.pick(sections)
                let row = random.pick(section == "default" ? rows : rows.filter { $0.scope == .interface })
                lines += ["[\(section)]", "\(row.name.rawValue) = \(value(of: row, &random))"]
            }
            var arguments: [String] = []
            for _ in 0..<Int.random(in: 0...4, using: &random) {
                let row = random.pick(rows)
                arguments += row.kind == .flag ? [row.flag] : [row.flag, value(of: row, &random)]
            }
            // Two values that contradict each other are refused before anything is printed.
            guard let said = try? effective(lines.joined(separator: "\n"), arguments) else { continue }
            // If sections set back-offs too, those of the command line are not printed, and must be given
            // again.
            let staysBehind = said.text.contains("# only on the command line: --backoff")
            let again = try effective(said.text, staysBehind ? backoffs(in: arguments) : [])
            #expect(again.text == said.text, "seed \(seed), round \(round): \(lines), \(arguments)")
            for name in ["wlan0", "wlan1", "wlp2s0", "eth0"] {
                for address in addresses {
                    let meant = said.request.settings(
                        for: name, addresses: [address].compactMap(\.self), file: said.file)
                    let read = again.request.settings(
                        for: name, addresses: [address].compactMap(\.self), file: again.file)
                    #expect(read == meant, "seed \(seed), round \(round), \(name): \(lines), \(arguments)")
                }
            }
            #expect(again.request.output == said.request.output, "seed \(seed), round \(round)")
            #expect(again.request.wait == said.request.wait, "seed \(seed), round \(round)")
        }
    }

    private func backoffs(in arguments: [String]) -> [String] {
        zip(arguments, arguments.dropFirst()).filter { $0.0.hasPrefix("--backoff") }.flatMap { [$0, $1] }
    }

    private func value(of row: OptionRow, _ random: inout SplitMix64) -> String {
        switch row.kind {
        case .flag, .yesOrNo: random.pick(["yes", "no"])
        case .duration(let range):
            random.pick(["1s", "30s", "90s", "10m", "2h"].filter { Self.isTaken($0, in: range) })
        case .count(let range), .percent(let range): "\(Int.random(in: range, using: &random))"
        case .instant: random.pick(["7d", "2026-02-03"])
        case .quietWindow: random.pick(["none", "22:00-06:30", "sat 00:00-24:00"])
        case .probe: random.pick(["auto", "icmp:192.0.2.1", "+tcp:192.0.2.1:443"])
        case .method: random.pick(["bounce", "hook:/usr/local/sbin/heal,rfkill"])
        case .powerSave: random.pick(["off", "auto", "leave"])
        case .log: random.pick(["auto", "stderr", "journal", "syslog"])
        case .layers: random.pick(["gateway", "association,dns"])
        case .user, .file, .directory, .absoluteDirectory: row.example
        }
    }

    private static func isTaken(_ text: String, in range: ClosedRange<Duration>) -> Bool {
        (try? DurationText.parse(text)).map(range.contains) ?? false
    }
}
