import Model
import Testing

@testable import Invocation

/// On the main actor, as the parser is: getopt_long(3) has global variables.
@MainActor @Suite("The command line")
struct InvocationTests {
    private func request(_ words: String...) throws -> Request {
        guard case .perform(let request) = try Invocation.parse(words) else {
            throw UsageError.unknownCommand("\(words) asks for a text", suggestion: nil)
        }
        return request
    }

    private func settings(_ words: String...) throws -> Settings {
        guard case .perform(let request) = try Invocation.parse(["run"] + words) else { return Settings() }
        return request.settings(for: "wlan0")
    }

    @Test(
        "options for help and version are recognised, even beside invalid values and operands",
        arguments: [
            (["--help"], .help(nil)), (["-h"], .help(nil)), (["run", "--help"], .help(.run)),
            (["--help", "list"], .help(.list)), (["status", "-h"], .help(.status)), (["--version"], .version),
            (["-V"], .version), (["run", "--version"], .version),
            (["toggle", "--delay", "99h", "-h"], .help(.toggle)),
            (["probe", "--help", "one", "two"], .help(.probe)), (["--hel"], .help(nil)),
        ] as [([String], Invocation)])
    func texts(words: [String], invocation: Invocation) throws {
        #expect(try Invocation.parse(words) == invocation)
    }

    @Test(
        "a command without options has the defaults",
        arguments: [Command.run, .toggle, .reconnect, .probe, .list])
    func defaults(command: Command) throws {
        let request = try request(command.rawValue)
        #expect(request.command == command)
        #expect(request.interfaces.isEmpty)
        #expect(request.output == Output(isJSON: false, verbosity: .normal))
        #expect(request.configurationFile == "/etc/wifi-toggler.conf")
        #expect(!request.namesConfigurationFile)
        #expect(request.stateDirectory == "/var/lib/wifi-toggler")
        #expect(request.runDirectory == "/run/wifi-toggler")
        #expect(request.wait == .seconds(10))
        #expect(request.settings(for: "wlan0") == Settings())
    }

    @Test("every option changes its own setting")
    func everyOption() throws {
        let words = """
            -i 2m -d 5s -p icmp -f --quorum 2 --fall 4 --rise 5 --recheck 6s --timeout 7s --settle 8s --backoff 9s
            --backoff-max 10m --budget 11 --budget-per-day 12 --restore no --method bounce,hook:/h --reboot-after 13m
            --grace 14s --bounce-on dns --even-if-in-use --quiet-hours 01:00-02:00 --power-save off --announce
            --config /c --state-dir /s --run-dir /r -n --degraded-loss 30% --degraded-latency 250ms --wait 12s
            --command-user probe-er --log syslog --json -q --no-fast-reconnect --any-interface wlan0 wl*
            """.split { " \n".contains($0) }.map(String.init)
        guard case .perform(let request) = try Invocation.parse(["run"] + words) else {
            Issue.record("no request")
            return
        }
        var expected = Settings()
        expected.interval = .seconds(120)
        expected.methods = [.bounce, .hook]
        expected.hook = "/h"
        expected.rebootAfter = .seconds(780)
        expected.delay = .seconds(5)
        expected.probes = [ProbeSpec(.icmp(nil))]
        expected.quorum = 2
        expected.isForced = true
        expected.fall = 4
        expected.rise = 5
        expected.recheck = .seconds(6)
        expected.timeout = .seconds(7)
        expected.degradedLoss = 30
        expected.degradedLatency = .milliseconds(250)
        expected.settle = .seconds(8)
        expected.backoff = .seconds(9)
        expected.backoffMaximum = .seconds(600)
        expected.budget = 11
        expected.dailyBudget = 12
        expected.grace = .seconds(14)
        expected.bouncedLayers = [.dns]
        expected.bouncesInUse = true
        expected.quietHours = [QuietWindow(start: 60, end: 120)]
        expected.powerSave = .off
        expected.announces = true
        expected.restores = false
        expected.isDryRun = true
        expected.fastReconnects = false
        expected.allowsAnyInterface = true
        #expect(request.settings(for: "wlan0") == expected)
        // Only `--method auto,...` sets these.
        #expect(expected.unchanged == ["methodsBesideAuto"])
        #expect(request.configurationFile == "/c" && request.namesConfigurationFile)
        #expect(request.stateDirectory == "/s" && request.runDirectory == "/r")
        #expect(request.wait == .seconds(12))
        #expect(request.commandUser == "probe-er")
        #expect(request.output == Output(isJSON: true, verbosity: .quiet, log: .syslog))
        #expect(request.interfaces.map(\.text) == ["wlan0", "wl*"])
    }

    @Test("options and operands may be mixed, and options may precede the command")
    func order() throws {
        #expect(try request("--json", "list").output.isJSON)
        #expect(try request("-d", "1s", "toggle", "wlan0") == request("toggle", "wlan0", "--delay=1s"))
        #expect(try request("run", "a", "-q", "b", "-d2s", "c").interfaces.map(\.text) == ["a", "b", "c"])
        #expect(try request("repair").interfaces.isEmpty)
        #expect(try request("repair", "wlan0", "wl*").interfaces.map(\.text) == ["wlan0", "wl*"])
        #expect(try request("run", "-fnq") == request("run", "-f", "-n", "-q"))
    }

    @Test("`--` ends the options")
    func doubleDash() throws {
        #expect(try request("run", "--", "-q", "--json").interfaces.map(\.text) == ["-q", "--json"])
        #expect(try request("--", "run", "wlan0").interfaces.map(\.text) == ["wlan0"])
        #expect(try request("run", "-").interfaces.map(\.text) == ["-"])
    }

    @Test("the last value of a repeated option counts, but probes add up")
    func repetition() throws {
        #expect(try settings("-d", "1s", "--delay", "2s").delay == .seconds(2))
        #expect(try request("run", "-q", "-v").output.verbosity == .verbose)
        #expect(try request("run", "-v", "-q").output.verbosity == .quiet)
        let probes = try settings("-p", "auto", "-p", "+tcp:[fd00::1]:80").probes
        #expect(
            probes == [
                ProbeSpec(.auto),
                ProbeSpec(.tcp(.address(IPAddress("fd00::1")!), port: 80), isRequired: true),
            ])
        #expect(try settings("-p", "icmp").probes == [ProbeSpec(.icmp(nil))])
        #expect(try request("run", "wlan0", "wlan0", "wlan1").interfaces.map(\.text) == ["wlan0", "wlan1"])
    }

    @Test("an option may be abbreviated while only one option begins that way")
    func abbreviation() throws {
        #expect(try settings("--del", "1s").delay == .seconds(1))
        #expect(try settings("--backoff", "1s").backoff == .seconds(1))
        #expect(try settings("--backoff-m=5m").backoffMaximum == .seconds(300))
        #expect(throws: UsageError.ambiguousOption("--back", candidates: ["--backoff", "--backoff-max"])) {
            try settings("--back", "1s")
        }
        #expect(
            throws: UsageError.ambiguousOption(
                "--re", candidates: ["--recheck", "--restore", "--reboot-after", "--record"])
        ) { try settings("--re=1s") }
    }

    @Test("--backoff above --backoff-max is refused if both are given; one alone adjusts the other")
    func backoff() throws {
        #expect(throws: UsageError.self) { try settings("--backoff", "2h", "--backoff-max", "1h") }
        let longer = try settings("--backoff", "2h")
        #expect(longer.backoff == .seconds(7200) && longer.backoffMaximum == .seconds(7200))
        let shorter = try settings("--backoff-max", "5s")
        #expect(shorter.backoff == .seconds(5) && shorter.backoffMaximum == .seconds(5))
        #expect(try settings("--backoff=2h", "--backoff-max=1h", "--backoff=1m").backoff == .seconds(60))
    }

    @Test("values of one command line do not affect the next one that is parsed")
    func isForgotten() throws {
        for _ in 0..<3 {
            #expect(throws: UsageError.self) { try request("run", "-xq", "wlan0") }
            #expect(throws: UsageError.self) { try request("run", "--delay") }
            #expect(try request("run", "-q", "--", "a").interfaces.map(\.text) == ["a"])
        }
    }

    @Test(
        "an invalid command line is refused with the reason",
        arguments: [
            ([], .commandMissing), (["--json"], .commandMissing), (["--"], .commandMissing),
            (["tgogle"], .unknownCommand("tgogle", suggestion: "toggle")),
            (["wlan0"], .unknownCommand("wlan0", suggestion: nil)),
            ([""], .unknownCommand("", suggestion: nil)),
            (["version"], .unknownCommand("version", suggestion: "--version")),
            (["bogus", "--help"], .unknownCommand("bogus", suggestion: nil)),
            (["run", "--dleay", "3"], .unknownOption("--dleay", suggestion: "--delay")),
            (["run", "--delya=3"], .unknownOption("--delya", suggestion: "--delay")),
            (["run", "--xyzzy"], .unknownOption("--xyzzy", suggestion: nil)),
            (["run", "--=3"], .unknownOption("--", suggestion: nil)),
            (["run", "-x"], .unknownOption("-x", suggestion: nil)),
            (["run", "-qx"], .unknownOption("-x", suggestion: nil)),
            (["run", "-é"], .unknownOption("-é", suggestion: nil)),
            (["run", "-?"], .unknownOption("-?", suggestion: nil)),
            (["run", "-:"], .unknownOption("-:", suggestion: nil)),
            (
                ["run", "--delay"],
                .argumentMissing(option: "--delay", placeholder: "DURATION", example: "3s")
            ),
            (["run", "-d"], .argumentMissing(option: "--delay", placeholder: "DURATION", example: "3s")),
            (["run", "--json=yes"], .argumentUnexpected(option: "--json")),
            (["run", "--force=yes"], .argumentUnexpected(option: "--force")),
            (["list", "--delay", "3"], .optionOfOtherCommand(option: "--delay", command: .list)),
            (["probe", "-n"], .optionOfOtherCommand(option: "--dry-run", command: .probe)),
            (["toggle", "a", "b"], .operandUnexpected("b", command: .toggle)),
            (["list", "wlan0"], .operandUnexpected("wlan0", command: .list)),
            (["run", "a/b"], .badInterface("a/b", .slash)), (["run", ""], .badInterface("", .empty)),
            (["run", "sixteen-bytes-xx"], .badInterface("sixteen-bytes-xx", .tooLong(limit: 15))),
            (["status", "a", "b"], .operandUnexpected("b", command: .status)),
            (["status", "-i", "1s"], .optionOfOtherCommand(option: "--interval", command: .status)),
            (
                ["status", "--any-interface"],
                .optionOfOtherCommand(option: "--any-interface", command: .status)
            ),
            (["replay", "file", "more"], .operandUnexpected("more", command: .replay)),
            (
                ["replay"],
                .argumentMissing(
                    option: "replay", placeholder: "FILE", example: "/var/lib/wifi-toggler/trace")
            ),
            (["replay", "--json", "file"], .optionOfOtherCommand(option: "--json", command: .replay)),
            (["repair", "--record", "x"], .optionOfOtherCommand(option: "--record", command: .repair)),
            (
                ["history", "--since", "yesterday"],
                .badValue(option: "--since", value: "yesterday", problem: .notAMoment, example: "7d")
            ),
            (["status", "--since", "7d"], .optionOfOtherCommand(option: "--since", command: .status)),
            (["history", "a", "b"], .operandUnexpected("b", command: .history)),
        ] as [([String], UsageError)])
    func refuses(words: [String], error: UsageError) {
        #expect(throws: error) { try Invocation.parse(words) }
    }

    @Test(
        "an invalid value is refused with the reason",
        arguments: [
            ("--interval", "99ms", .tooShort(.milliseconds(100))),
            ("--interval", "31d", .tooLong(.seconds(86400 * 30))),
            ("--delay", "61s", .tooLong(.seconds(60))), ("--delay", "-1s", .notADuration),
            ("--delay", "", .empty), ("--delay", "99999999999999d", .tooLong(.seconds(60))),
            ("--timeout", "0", .tooShort(.milliseconds(1))), ("--timeout", "61s", .tooLong(.seconds(60))),
            ("--recheck", "9ms", .tooShort(.milliseconds(10))), ("--settle", "11m", .tooLong(.seconds(600))),
            ("--backoff", "25h", .tooLong(.seconds(86400))), ("--wait", "61m", .tooLong(.seconds(3600))),
            ("--quorum", "0", .outOfRange(1...16)), ("--quorum", "17", .outOfRange(1...16)),
            ("--command-user", "0", .notAUser), ("--command-user", "-a", .notAUser),
            ("--command-user", "a:b", .notAUser), ("--command-user", "ä", .notAUser),
            ("--command-user", String(repeating: "a", count: 33), .notAUser),
            ("--budget", "0", .outOfRange(1...3600)), ("--budget", "3601", .outOfRange(1...3600)),
            ("--fall", "0", .outOfRange(1...100)), ("--fall", "101", .outOfRange(1...100)),
            ("--degraded-loss", "101", .outOfRange(0...100)), ("--degraded-loss", "-1%", .notANumber),
            ("--degraded-loss", "%", .notANumber), ("--degraded-loss", "20%%", .notANumber),
            ("--degraded-loss", "2.5", .notANumber), ("--degraded-loss", "", .empty),
            ("--degraded-latency", "61s", .tooLong(.seconds(60))),
            ("--degraded-latency", "20%", .notADuration),
            ("--rise", "99999999999999999999", .outOfRange(1...100)), ("--rise", "two", .notANumber),
            ("--rise", "-1", .notANumber), ("--rise", "+1", .notANumber), ("--fall", "1.5", .notANumber),
            ("--restore", "maybe", .notYesOrNo), ("--config", "", .empty),
            ("--bounce-on", "gatway", .unknownLayer(suggestion: "gateway")),
            ("--bounce-on", "gateway,", .unknownLayer(suggestion: nil)),
            ("--bounce-on", "radio", .layerNeverBounced("radio")),
            ("--method", "bonce", .unknownMethod(suggestion: "bounce")),
            ("--method", "bounce,", .unknownMethod(suggestion: nil)),
            ("--method", "rfkill:x", .methodTakesNothing("rfkill")),
            ("--method", "hook", .notAHook), ("--method", "hook:heal", .notAHook),
            ("--probe", "imcp", .unknownProbe(suggestion: "icmp")),
        ] as [(String, String, ValueProblem)])
    func refusesValue(option: String, value: String, problem: ValueProblem) {
        let example = OptionTable.rows.first { $0.flag == option }?.example ?? ""
        #expect(throws: UsageError.badValue(option: option, value: value, problem: problem, example: example))
        {
            try settings(option, value)
        }
    }

    @Test("the limits of a range are valid values")
    func limits() throws {
        #expect(try settings("--interval", "100ms").interval == .milliseconds(100))
        #expect(try settings("--interval", "30d").interval == .seconds(86400 * 30))
        #expect(try settings("--delay", "0").delay == .zero)
        #expect(try settings("--delay", "60").delay == .seconds(60))
        #expect(try settings("--settle", "0").settle == .zero)
        #expect(try settings("--timeout", "1ms").timeout == .milliseconds(1))
        #expect(try settings("--budget", "3600").budget == 3600)
        #expect(try settings("--degraded-loss", "0").degradedLoss == 0)
        #expect(try settings("--degraded-loss", "100%").degradedLoss == 100)
        #expect(try settings("--degraded-latency", "0").degradedLatency == .zero)
        #expect(try settings("--degraded-latency", "60").degradedLatency == .seconds(60))
        #expect(try request("toggle", "--wait", "0").wait == .zero)
    }

    @Test("methods are sorted gentlest first, each once, in whatever order they are given")
    func methods() throws {
        #expect(
            try settings("--method", "rfkill,bounce,owner,reassociate,bounce").methods == [
                .reassociate, .owner, .bounce, .rfkill,
            ])
        #expect(throws: UsageError.self) { try self.settings("--method", "owner:nmcli") }
        #expect(throws: UsageError.self) { try self.settings("--method", "reset:usb") }
        let settings = try settings("--method", "hook:/usr/local/sbin/heal:wifi,reset,rebind")
        #expect(settings.methods == [.rebind, .reset, .hook])
        #expect(settings.hook == "/usr/local/sbin/heal:wifi")
        #expect(try self.settings("--delay", "1s").methods == [])
        #expect(try self.settings("--method", "auto").methods == [])
        #expect(try self.settings("--method", "reboot,bounce").methods == [.bounce, .reboot])
        #expect(
            try self.settings("--method", "owner, bounce ,\thook:/a b").methods == [.owner, .bounce, .hook])
        #expect(try self.settings("--method", "auto, reset").methodsBesideAuto == [.reset])
        #expect(try self.settings("--bounce-on", "association, dns").bouncedLayers == [.association, .dns])
        for wrong in ["reboot", "reboot,reboot", "bounce,reboot:now"] {
            #expect(throws: UsageError.self) { try self.settings("--method", wrong) }
        }
    }

    @Test("methods harsher than a bounce may be named with `auto`, in any order; other methods may not")
    func methodsBesideAuto() throws {
        let settings = try settings("--method", "hook:/usr/local/sbin/heal,auto,reset,rfkill,auto")
        #expect(settings.methods.isEmpty && settings.methodsBesideAuto == [.rfkill, .reset, .hook])
        #expect(settings.hook == "/usr/local/sbin/heal")
        #expect(try self.settings("--method", "auto").methodsBesideAuto.isEmpty)
        #expect(try self.settings("--method", "reboot,auto").methodsBesideAuto == [.reboot])
        for value in ["auto,bounce", "reset,owner,auto", "auto,auto:reset", "auto,", "auto,reboot:now"] {
            #expect(throws: UsageError.self) { try self.settings("--method", value) }
        }
    }

    @Test("the probe `none` cannot be combined with other probes")
    func noneIsAlone() {
        for words in [["-p", "none", "-p", "icmp"], ["-p", "auto", "-p", "none"]] {
            #expect(throws: UsageError.self) { try Invocation.parse(["run"] + words) }
        }
    }

    @Test("random command lines are accepted or refused without a crash")
    func randomWalk() async throws {
        var random = SplitMix64(state: 1)
        let commands = Command.allCases.map(\.rawValue)
        let words =
            commands + OptionTable.rows.map(\.flag) + OptionTable.rows.map { "-\($0.short ?? "z")" }
            + [
                "--", "-", "", "=", "--=", "---", "3s", "1d", "-5", "auto", "none", "+", "wlan0", "wl*", "[",
                "é", "no",
            ]
        let letters = Array("-=:+.,[]*?/\u{1}\u{7f}0129adehims é\u{1F600}")
        var taken = 0
        for round in 0..<10_000 {
            // Yield: tests that depend on time run at the same time.
            if round % 100 == 0 { await Task.yield() }
            var line: [String] = Bool.random(using: &random) ? [random.pick(commands)] : []
            for _ in 0..<Int.random(in: 0...5, using: &random) {
                var word = random.pick(words)
                if Int.random(in: 0..<4, using: &random) == 0 {
                    word += String(
                        (0..<Int.random(in: 1...6, using: &random)).map { _ in random.pick(letters) })
                }
                line.append(word)
            }
            do {
                _ = try Invocation.parse(line)
                taken += 1
            } catch {
                try #require(!error.description.isEmpty, "\(line)")
                try #require(
                    !error.description.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" }, "\(line)")
            }
        }
        #expect(taken > 100)
    }
}
