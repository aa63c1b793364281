import Foundation
import Model
import Testing

@testable import Invocation

@Suite("The configuration file")
struct ConfigurationFileTests {
    private static let path = "test.conf"
    private static let addresses = [MACAddress([2, 0, 0, 0, 0, 1])].compactMap(\.self)

    private func settings(
        _ text: String, for name: String = "wlan0", mac: [UInt8] = [2, 0, 0, 0, 0, 1]
    ) throws -> Settings {
        let file = try ConfigurationFile.parse(text, path: Self.path)
        let request = Request(command: .run, interfaces: [], commandLine: OptionLayer())
        return request.settings(for: name, addresses: MACAddress(mac).map { [$0] } ?? [], file: file)
    }

    @Test(
        "an empty file changes nothing",
        arguments: ["", "\n\n", "# a comment\n; another", "\u{feff}", "[default]", "\r\n"])
    func empty(text: String) throws {
        #expect(try settings(text) == Settings())
    }

    @Test("if two sections match an interface, the more specific one wins, in any order in the file")
    func specificity() throws {
        let text = """
            [mac=02:00:00:00:00:01]
            delay = 5s
            [wlan0]
            delay = 4s
            rise = 4
            [wl*]
            delay = 3s
            rise = 3
            fall = 3
            [wlan?]
            fall = 7
            [default]
            delay = 2s
            rise = 2
            fall = 2
            budget = 2
            """
        let settings = try settings(text)
        #expect(settings.delay == .seconds(5))
        #expect(settings.rise == 4)
        #expect(settings.fall == 7)
        #expect(settings.budget == 2)
        #expect(try self.settings(text, mac: [2, 0, 0, 0, 0, 2]).delay == .seconds(4))
        #expect(try self.settings(text, for: "wlp2s0", mac: [2, 0, 0, 0, 0, 2]).delay == .seconds(3))
        #expect(try self.settings(text, for: "eth0", mac: [2, 0, 0, 0, 0, 2]).delay == .seconds(2))
    }

    @Test(
        "[mac=] matches the current or the permanent address; if two sections match, the later wins")
    func addresses() throws {
        let inUse = MACAddress([2, 0, 0, 0, 0, 1])
        let own = MACAddress([2, 0, 0, 0, 0, 2])
        let text = """
            [mac=02:00:00:00:00:02]
            delay = 5s
            fall = 5
            [mac=02:00:00:00:00:01]
            delay = 4s
            """
        let file = try ConfigurationFile.parse(text, path: Self.path)
        let request = Request(command: .run, interfaces: [], commandLine: OptionLayer())
        func settings(_ inUse: MACAddress?, _ own: MACAddress?) -> Settings {
            let link = Link(
                index: InterfaceIndex(rawValue: 1), name: "wlan0", macAddress: inUse, permanentAddress: own,
                isUp: true, hasCarrier: true, operationalState: .up)
            return request.settings(for: link, file: file)
        }
        #expect(settings(inUse, nil).delay == .seconds(4))
        #expect(settings(inUse, nil).fall == Settings().fall)
        #expect(settings(MACAddress([2, 0, 0, 0, 0, 3]), own).fall == 5)
        #expect(settings(inUse, own).delay == .seconds(4))
        #expect(settings(inUse, own).fall == 5)
        #expect(settings(nil, nil) == Settings())
    }

    @Test(
        "a reload applies changeable settings and names the others; without the file, defaults apply again"
    )
    func readAgain() throws {
        let text = """
            [default]
            command-user = daemon
            metrics = /m.prom
            hooks-dir = none
            state-dir = /s
            run-dir = /r
            wait = 1s
            json = yes
            quiet = yes
            log = syslog
            interval = 1h
            """
        let start = Request(command: .run, interfaces: [], commandLine: OptionLayer())
        let fresh = start.merging(try ConfigurationFile.parse(text, path: Self.path))
        let next = start.takingOver(fresh)
        #expect(
            next.commandUser == "daemon" && next.metricsFile?.path == "/m.prom" && next.hooksDirectory == nil)
        #expect(
            next.keys(differingFrom: fresh)
                == ["state-dir", "run-dir", "wait", "json", "quiet", "log"]
                .sorted { Self.place($0) < Self.place($1) })
        #expect(next.runDirectory == start.runDirectory && next.output == start.output)
        #expect(start.keys(differingFrom: start).isEmpty)
        let louder = try ConfigurationFile.parse("[default]\nverbose = yes\n", path: Self.path)
        #expect(fresh.keys(differingFrom: fresh.merging(louder)).contains("verbose"))
        #expect(fresh.merging(nil) == start)
        // The comparison must include every setting that applies to the whole run.
        let whole = Set(OptionTable.rows.filter { $0.scope == .wholeRun }.map(\.name.rawValue))
        #expect(Set(start.keys(differingFrom: fresh)) == whole.subtracting(["verbose"]))
    }

    private static func place(_ key: String) -> Int {
        OptionTable.rows.firstIndex { $0.name.rawValue == key } ?? 0
    }

    @Test("the command line overrides every section")
    @MainActor func commandLine() throws {
        let text = """
            [mac=02:00:00:00:00:01]
            delay = 5s
            probe = icmp
            [default]
            wait = 1s
            json = yes
            quiet = yes
            state-dir = /s
            run-dir = /r
            metrics = /m.prom
            """
        let file = try ConfigurationFile.parse(text, path: Self.path)
        guard
            case .perform(let request) = try Invocation.parse([
                "run", "-d", "1s", "-p", "none", "-v", "--run-dir=/x",
            ])
        else {
            Issue.record("this is a command to perform")
            return
        }
        let settings = request.settings(for: "wlan0", addresses: Self.addresses, file: file)
        #expect(settings.delay == .seconds(1))
        #expect(settings.probes == [ProbeSpec(.none)])
        let merged = request.merging(file)
        #expect(merged.wait == .seconds(1))
        #expect(merged.output == Output(isJSON: true, verbosity: .verbose))
        #expect(merged.stateDirectory == "/s" && merged.runDirectory == "/x")
        #expect(merged.metricsFile?.path == "/m.prom")
        let silenced = try ConfigurationFile.parse(
            "[default]\nmetrics = none\nhooks-dir = none\n", path: Self.path)
        #expect(merged.merging(silenced).metricsFile == nil)
        #expect(merged.hooksDirectory == "/etc/wifi-toggler/hooks.d")
        #expect(merged.merging(silenced).hooksDirectory == nil)
        #expect(merged.settings(for: "wlan0") == request.settings(for: "wlan0"))
        // Read again, with another file: nothing of the first one remains.
        let other = try ConfigurationFile.parse("[default]\nwait = 2s\n", path: Self.path)
        #expect(merged.merging(other) == request.merging(other))
        #expect(other != file)
    }

    @Test("the probes of one section add up, and replace those of a more general section")
    func probes() throws {
        let text = "[default]\nprobe = auto, +icmp:192.0.2.1\nprobe = tcp:a:1\n[wlan0]\nprobe = none\n"
        #expect(try settings(text).probes == [ProbeSpec(.none)])
        #expect(
            try settings(text, for: "wlan1").probes == [
                ProbeSpec(.auto), ProbeSpec(.icmp(.address(IPAddress("192.0.2.1")!)), isRequired: true),
                ProbeSpec(.tcp(.name("a"), port: 1)),
            ])
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
        let settings = try settings(text)
        let page = HTTPQuestion(url: "http://a/b%2Cc", expectation: .body("all is well"))
        #expect(
            settings.probes == [
                ProbeSpec(.dns(name: "a", server: IPAddress("192.0.2.1")!)), ProbeSpec(.http(page)),
                ProbeSpec(.command(path: "/usr/local/bin/check"), isRequired: true),
            ])
        #expect(settings.quorum == 2)
        #expect(try ConfigurationFile.parse(text, path: Self.path).defaults.user(.commandUser) == "check")
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
        #expect(try settings(text).delay == .seconds(7))
    }

    @Test("a yes or no value may be written in each usual form")
    func flags() throws {
        for word in ["yes", "true", "on", "1", "Yes", "ON"] {
            #expect(try settings("[default]\nforce = \(word)").isForced)
        }
        for word in ["no", "false", "off", "0", "No"] {
            #expect(try !settings("[default]\nrestore = \(word)").restores)
        }
    }

    @Test("a section's backoff adjusts the backoff-max of a more general section, and the reverse")
    func backoff() throws {
        let raised = try settings("[default]\nbackoff-max = 10m\n[wlan0]\nbackoff = 20m\n")
        #expect(raised.backoff == .seconds(1200) && raised.backoffMaximum == .seconds(1200))
        let lowered = try settings("[default]\nbackoff = 20m\n[wlan0]\nbackoff-max = 10m\n")
        #expect(lowered.backoff == .seconds(600) && lowered.backoffMaximum == .seconds(600))
    }

    @Test(
        "an invalid file is refused with the line and with what would be right",
        arguments: [
            ("delay = 3s", "test.conf:1: 'delay' stands before the first section (put '[default]' above it)"),
            (
                "[default]\ndelay = 90s",
                "test.conf:2: delay: '90s' is more than 60s (for example: delay = 3s)"
            ),
            ("[default]\n\n# x\ndelya = 3s", "test.conf:4: unknown key 'delya'; did you mean 'delay'?"),
            (
                "[default]\nxyzzy = 3s",
                "test.conf:2: unknown key 'xyzzy' (wifi-toggler.conf(5) has all of them)"
            ),
            ("[default]\n--delay = 3s", "test.conf:2: unknown key '--delay'; did you mean 'delay'?"),
            (
                "[default]\ndelay",
                "test.conf:2: 'delay' is neither '[section]' nor 'key = value'"
                    + " (for example: [default], interval = 60s)"
            ),
            (
                "[default\ndelay = 1s",
                "test.conf:1: '[default' is neither '[section]' nor 'key = value'"
                    + " (for example: [default], interval = 60s)"
            ),
            ("[default]\ndelay =", "test.conf:2: delay: '' is empty (for example: delay = 3s)"),
            (
                "[default]\ndelay = 3s # soon",
                "test.conf:2: delay: '3s # soon' is not a duration"
                    + " (a comment behind a value begins with ' ;')"
            ),
            ("[wlan0]\njson = yes", "test.conf:2: 'json' concerns the whole run (move it to [default])"),
            (
                "[default]\nconfig = x",
                "test.conf:2: 'config' is no key of the file (give it on the command line, as --config)"
            ),
            (
                "[default]\nhelp = yes",
                "test.conf:2: 'help' is no key of the file (give it on the command line, as --help)"
            ),
            (
                "\n[a/b]",
                "test.conf:2: section 'a/b' has a '/' in it"
                    + " (for example: [default], [wlan0], [wl*], [mac=02:00:00:00:00:01])"
            ),
            (
                "[]",
                "test.conf:1: section '' is empty"
                    + " (for example: [default], [wlan0], [wl*], [mac=02:00:00:00:00:01])"
            ),
            (
                "[mac 02:00:00:00:00:01]",
                "test.conf:1: section 'mac 02:00:00:00:00:01' is longer than 15 bytes"
                    + " (for example: [default], [wlan0], [wl*], [mac=02:00:00:00:00:01])"
            ),
            (
                "[*aaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeee]",
                "test.conf:1: section '*aaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeee' is longer than"
                    + " 49 bytes (for example: [default], [wlan0], [wl*], [mac=02:00:00:00:00:01])"
            ),
            (
                "[mac=]",
                "test.conf:1: section 'mac=' is not a hardware address (for example: [mac=02:00:00:00:00:01])"
            ),
            (
                "[Mac=]",
                "test.conf:1: section 'Mac=' is not a hardware address (for example: [mac=02:00:00:00:00:01])"
            ),
            (
                "[defualt]\ndelay = 9s",
                "test.conf:1: section 'defualt' is probably a misspelling of [default]"
                    + " (if an interface has this name, write [mac=ADDRESS] or [defual*])"
            ),
            (
                "[wlan0]\ndelay = 9s\n[Default]",
                "test.conf:3: section 'Default' is probably a misspelling of [default]"
                    + " (if an interface has this name, write [mac=ADDRESS] or [Defaul*])"
            ),
            (
                "[mac=02:00]",
                "test.conf:1: section 'mac=02:00' is not a hardware address"
                    + " (for example: [mac=02:00:00:00:00:01])"
            ),
            (
                "[wl[0-9]]",
                "test.conf:1: ']' behind the section's name (a glob has no brackets here: write '?' for one letter)"
            ),
            (
                "[wlan0] delay = 3s",
                "test.conf:1: 'delay = 3s' behind the section's name"
                    + " (put it into a line of its own; a comment begins with ';')"
            ),
            (
                "[default]\nmethod = bounce,hook",
                "test.conf:2: method: 'bounce,hook' names 'hook' without the absolute path of a program"
                    + " (for example: method = bounce,hook:/usr/local/sbin/heal-wifi)"
            ),
            (
                "[default]\nprobe = auto\nprobe = none",
                "test.conf:3: probe: 'none' is one of several probes; 'none' must be the only one"
                    + " (for example: probe = none)"
            ),
            (
                "[default]\nbackoff-max = 1h\nbackoff = 2h",
                "test.conf:3: backoff-max: '1h' is less than backoff, 2h (for example: backoff-max = 2h)"
            ),
            (
                "[default]\nfall = 3\0",
                "test.conf:2: the control character 0x0, which no value may have (take it out; cat -v shows where it is)"
            ),
            (
                "[default]\n\u{1b}=",
                "test.conf:2: the control character 0x1b, which no value may have (take it out; cat -v shows where it is)"
            ),
            (
                "[default]\nfall = 3" + String(repeating: " ", count: 190) + "x",
                "test.conf:2: the line is longer than 197 bytes"
                    + " (make it shorter; several probes may be several lines)"
            ),
            (
                "[default]\n" + String(repeating: "x", count: 198),
                "test.conf:2: the line is longer than 197 bytes"
                    + " (make it shorter; several probes may be several lines)"
            ),
        ])
    func refuses(text: String, sentence: String) {
        do {
            _ = try ConfigurationFile.parse(text, path: Self.path)
            Issue.record("was taken")
        } catch {
            #expect(error.description == sentence)
        }
    }

    @Test("the hooks directory is an absolute path or `none`", arguments: ["hooks.d", "./a", "nones"])
    func hooks(directory: String) {
        let problem = ConfigurationError.Problem.badValue(
            key: "hooks-dir", value: directory, problem: .notAbsolute, example: "/etc/wifi-toggler/hooks.d")
        #expect(throws: ConfigurationError(file: Self.path, line: 2, problem: problem)) {
            try ConfigurationFile.parse("[default]\nhooks-dir = \(directory)\n", path: Self.path)
        }
    }

    @Test("a line of the maximum length is read whole")
    func longestLine() throws {
        let head = "[default]\nstate-dir = "
        let directory = "/" + String(repeating: "d", count: 197 - "state-dir = /".count)
        let file = try ConfigurationFile.parse(head + directory + "\nfall = 9\n", path: Self.path)
        #expect(file.defaults.path(.stateDirectory) == directory)
        #expect(file.defaults.count(.fall) == 9)
    }

    @Test("the example file is valid, sets only power-save, and shows the default of every other key")
    func example() throws {
        let url = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "contrib/wifi-toggler.conf.example")
        let text = try String(contentsOf: url, encoding: .utf8)
        var shipped = Settings()
        shipped.powerSave = .auto
        #expect(try settings(text) == shipped)
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
        #expect(file.layers(for: "wlan0", addresses: Self.addresses).count == 4)
    }
}
