import Model
import Testing

@testable import Invocation

@Suite("The table of options")
struct OptionTableTests {
    /// Name, short form and default as the contract of the command line specifies them.
    static let contract: [(name: String, short: Character?, usual: String?)] = [
        ("interval", "i", "60s"), ("delay", "d", "3s"), ("probe", "p", "auto"), ("quorum", nil, "1"),
        ("command-user", nil, "nobody"), ("force", "f", "no"),
        ("fall", nil, "3"), ("rise", nil, "2"), ("recheck", nil, "5s"), ("timeout", nil, "2s"),
        ("degraded-loss", nil, "20"), ("degraded-latency", nil, "500ms"),
        ("settle", nil, "30s"), ("backoff", nil, "60s"), ("backoff-max", nil, "1h"), ("budget", nil, "6"),
        ("budget-per-day", nil, "24"),
        ("bounce-on", nil, "association,address,gateway"), ("grace", nil, "60s"),
        ("reboot-after", nil, "15m"),
        ("quiet-hours", nil, "none"), ("even-if-in-use", nil, "no"),
        ("restore", nil, "yes"), ("method", nil, "auto"), ("config", nil, "/etc/wifi-toggler.conf"),
        ("state-dir", nil, "/var/lib/wifi-toggler"), ("run-dir", nil, "/run/wifi-toggler"),
        ("metrics", nil, "none"), ("hooks-dir", nil, "/etc/wifi-toggler/hooks.d"),
        ("dry-run", "n", "no"), ("wait", nil, "10s"), ("json", nil, "no"), ("quiet", "q", "no"),
        ("verbose", "v", "no"), ("log", nil, "auto"), ("any-interface", nil, "no"),
        ("no-fast-reconnect", nil, "no"), ("power-save", nil, "leave"), ("announce", nil, "no"),
        ("record", nil, nil),
        ("check", nil, nil), ("watch", nil, nil), ("since", nil, nil), ("html", nil, nil),
        ("help", "h", nil),
        ("version", "V", nil),
    ]

    @Test("the table has each documented option once, with its short form and default")
    func contract() throws {
        #expect(OptionTable.rows.count == Self.contract.count)
        for (name, short, usual) in Self.contract {
            let rows = OptionTable.rows.filter { $0.name.rawValue == name }
            try #require(rows.count == 1, "--\(name)")
            #expect(rows[0].short == short, "--\(name)")
            #expect(rows[0].defaultText == usual, "--\(name)")
        }
        #expect(Set(OptionName.allCases) == Set(OptionTable.rows.map(\.name)))
    }

    @Test("no two options have the same short form")
    func shortForms() {
        let letters = OptionTable.rows.compactMap(\.short)
        #expect(Set(letters).count == letters.count)
    }

    @Test("the documented default of each option is the value that applies if nothing sets the option")
    func defaults() throws {
        var layer = OptionLayer()
        for row in OptionTable.rows {
            if let text = row.defaultText { try layer.set(row, to: text) }
        }
        var settings = Self.unusual
        #expect(settings.unchanged == [])
        layer.apply(to: &settings)
        #expect(settings == Settings())
        let request = Request(command: .run, interfaces: [], commandLine: OptionLayer())
        #expect(layer.path(.config) == request.configurationFile)
        #expect(layer.path(.stateDirectory) == request.stateDirectory)
        #expect(layer.path(.runDirectory) == request.runDirectory)
        #expect(layer.path(.metrics) == "none" && request.metricsFile == nil)
        #expect(layer.path(.hooksDirectory) == request.hooksDirectory)
        #expect(layer.duration(.wait) == request.wait)
        #expect(layer.user(.commandUser) == request.commandUser)
        #expect(layer.flag(.json) == request.output.isJSON)
        #expect(layer.log == request.output.log)
    }

    @Test("an option's example is a value that the option accepts", arguments: OptionTable.rows.map(\.name))
    func examples(name: OptionName) throws {
        let row = OptionTable.row(name)
        guard row.scope != .commandLine || row.kind != .flag else { return }
        _ = try row.kind.parse(row.example)
    }

    @Test("an option's help is one line without a full stop, its manual text whole sentences")
    func texts() {
        for row in OptionTable.rows {
            #expect(!row.help.isEmpty && !row.help.hasSuffix(".") && !row.help.contains("\n"))
            let sentences = optionManual[row.name, default: []]
            #expect(!sentences.isEmpty && sentences.allSatisfy { $0.hasSuffix(".") }, "\(row.name)")
        }
    }

    /// Settings that all differ from the defaults, so that a missing default is noticed.
    private static var unusual: Settings {
        var settings = Settings()
        settings.interval = .seconds(1)
        settings.methods = [.hook]
        settings.methodsBesideAuto = [.rfkill]
        settings.hook = "/hook"
        settings.rebootAfter = .seconds(1)
        settings.delay = .seconds(1)
        settings.probes = [ProbeSpec(.none)]
        settings.quorum = 5
        settings.isForced = true
        settings.fall = 50
        settings.rise = 50
        settings.recheck = .seconds(1)
        settings.timeout = .seconds(1)
        settings.degradedLoss = 50
        settings.degradedLatency = .seconds(1)
        settings.settle = .seconds(1)
        settings.backoff = .seconds(1)
        settings.backoffMaximum = .seconds(1)
        settings.grace = .seconds(1)
        settings.budget = 50
        settings.dailyBudget = 50
        settings.bouncedLayers = [.dns]
        settings.bouncesInUse = true
        settings.quietHours = [QuietWindow(start: 1, end: 2)]
        settings.restores = false
        settings.fastReconnects = false
        settings.powerSave = .off
        settings.announces = true
        settings.isDryRun = true
        settings.allowsAnyInterface = true
        return settings
    }
}
