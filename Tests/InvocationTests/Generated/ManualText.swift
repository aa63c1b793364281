import Model
import Reporting

@testable import Invocation

/// The parts of the manual pages that are generated from the tables, in mdoc(7).
enum ManualText {
    /// Longer lines are a style warning of `mandoc -T lint`.
    private static let width = 78

    /// The pages, with their generated parts: the name in the two marks (`.\" options begin` and `.\" options
    /// end`), and the text between the marks.
    static var pages: [(file: String, parts: [(mark: String, text: String)])] {
        [
            (
                "man/wifi-toggler.8",
                [("commands", commands), ("options", options), ("exit status", exitStatus)]
            ),
            ("man/wifi-toggler.conf.5", [("keys", keys)]),
            ("man/wifi-toggler-output.5", []),
            ("man/wifi-toggler-probes.7", []),
            ("man/wifi-toggler-recovery.7", [("remedies", remedies), ("owners", owners)]),
        ]
    }

    private static var commands: String {
        let rows = Command.allCases.map { command in
            let operands =
                switch command.row.operands {
                case .none: ""
                case .oneInterface: " Op Ar INTERFACE"
                case .durationAndInterface: " Ar DURATION Op Ar INTERFACE"
                case .interfaces: " Op Ar INTERFACE ..."
                case .file: " Ar FILE"
                }
            return ".It Cm \(command.rawValue) Oo Ar OPTION ... Oc\(operands)\n"
                + sentences(command.row.manual)
        }
        return list("-tag -width Ds", rows)
    }

    /// Each option. One that wifi-toggler.conf(5) describes in full has only one sentence here.
    private static var options: String {
        list(
            "-tag -width Ds",
            OptionTable.rows.map { row in
                guard row.scope != .commandLine else {
                    let place = commands(of: row).map { ["For \($0)."] } ?? []
                    return item(row) + sentences(optionManual[row.name, default: []] + usual(row) + place)
                }
                let usual = row.kind == .flag ? nil : row.defaultText.map { "default: \($0)" }
                let facts = [usual, commands(of: row).map { "for: \($0)" }].compactMap(\.self)
                let remark = facts.isEmpty ? "" : " (\(facts.joined(separator: "; ")))"
                return item(row) + sentences(["\(capitalized(row.help))\(remark)."])
            })
    }

    private static var keys: String {
        list(
            "-tag -width Ds",
            OptionTable.rows.filter { $0.scope != .commandLine }.map { row in
                let argument = row.kind.placeholder ?? "yes|no"
                let place = row.scope == .wholeRun ? ["Only in [default]."] : []
                return ".It Cm \(row.name.rawValue) Li = Ar \(argument)\n"
                    + sentences(optionManual[row.name, default: []] + ranges(row) + usual(row) + place)
            })
    }

    private static var exitStatus: String {
        list(
            "-tag -width 99 -compact",
            ExitStatusTable.rows.map { ".It \($0.status)\n" + sentences([capitalized($0.meaning) + "."]) })
    }

    /// The table of `--method auto`.
    private static var remedies: String {
        list(
            "-tag -width Ds",
            RemedyRow.table.map { row in
                let methods = row.methods.map(\.rawValue).joined(separator: " , ")
                return ".It \(escape(row.fault))\n"
                    + (methods.isEmpty ? "Nothing:\n" : ".Cm \(methods) :\n")
                    + sentences(["\(row.reason)."])
            })
    }

    /// A row in the table of owners for each that manages interfaces.
    private static var owners: String {
        let owners = Owner.allCases.filter { $0 != .resolved }
        return list(
            "-tag -width Ds",
            owners.map { ".It \($0.rawValue)\n" + sentences(facts($0.quirks, $0.observation)) })
    }

    private static func facts(_ quirks: OwnerQuirks, _ observation: OwnerObservation) -> [String] {
        var facts = [
            "Restores: \(observation.restores).", "Does not restore: \(observation.forgets).",
        ]
        let times = quirks.recoveries.map { "within \(seconds($0.time)) with version \($0.version)" }
        facts.append(
            times.isEmpty
                ? "How soon the gateway answers again was not observed."
                : "After the link is set up, the gateway answers \(times.joined(separator: ", and "))."
        )
        if case .mayBeAborted(let recovery)? = quirks.scan {
            facts.append("With fast reconnect, it answers within \(seconds(recovery)).")
        }
        if let timeout = quirks.timeout {
            facts.append(
                "The program waits for the owner's configuration for up to \(DurationText.format(timeout)).")
        }
        if let longest = quirks.longestDownTime {
            facts.append(
                "If a bounce keeps the link down for more than \(DurationText.format(longest)),"
                    + " the owner may give up on the link.")
        }
        switch observation.afterUnblock {
        case .comesBack?: facts.append("After an rfkill block, the owner brings the link back by itself.")
        case .mayStick?:
            facts.append(
                "If an rfkill block ends immediately after it began, the owner does not bring the link back.")
        case .staysDown?:
            facts.append("After an rfkill block, the owner does not bring the link back.")
        case nil: break
        }
        if let asking = observation.asking { facts.append("To repair the link by hand: \(asking).") }
        switch quirks.request {
        case .activation?:
            facts.append("The method owner runs nmcli connection up uuid PROFILE ifname INTERFACE.")
        case .reassociation?:
            facts.append("The method owner sends the same request through the owner's control socket.")
        case .reconfiguration?: facts.append("The method owner runs the same command.")
        case .errorClearance?:
            facts.append("If ConnMan has given up a network, the method owner clears its property Error.")
        case nil: break
        }
        return facts
    }

    private static func seconds(_ duration: Duration) -> String {
        "\(Double(duration.nanoseconds / 1_000_000) / 1000) s"
    }

    private static func item(_ row: OptionRow) -> String {
        let argument = row.kind.placeholder.map { " Ar \($0)" } ?? ""
        let short = row.short.map { "Fl \($0)\(argument) , " } ?? ""
        return ".It \(short)Fl Fl \(row.name.rawValue)\(argument)\n"
    }

    private static func ranges(_ row: OptionRow) -> [String] {
        switch row.kind {
        case .duration(let range):
            let least = DurationText.format(range.lowerBound)
            return ["From \(least) to \(DurationText.format(range.upperBound))."]
        case .count(let range), .percent(let range):
            return ["From \(range.lowerBound) to \(range.upperBound)."]
        case .flag, .yesOrNo, .file, .directory, .absoluteDirectory, .probe, .method, .layers, .user,
            .quietWindow, .instant, .log, .powerSave:
            return []
        }
    }

    private static func usual(_ row: OptionRow) -> [String] {
        row.defaultText.map { ["The default is \($0)."] } ?? []
    }

    /// The commands that accept the option; nil: all commands.
    private static func commands(of row: OptionRow) -> String? {
        let commands = Command.allCases.filter(row.commands.contains)
        return commands.count < Command.allCases.count ? enumeration(commands.map(\.rawValue)) : nil
    }

    private static func enumeration(_ words: [String]) -> String {
        guard words.count > 1, let last = words.last else { return words.joined() }
        return words.dropLast().joined(separator: ", ") + " and " + last
    }

    private static func list(_ kind: String, _ items: [String]) -> String {
        ".Bl \(kind)\n" + items.joined() + ".El\n"
    }

    /// Every sentence begins a line, as mdoc(7) wants it.
    private static func sentences(_ sentences: [String]) -> String {
        sentences.flatMap { TextColumns.wrap(escape($0), width: width) }.map { $0 + "\n" }.joined()
    }

    private static func escape(_ text: String) -> String {
        text.split(separator: " ").map { word in
            let plain = word.replacing("\\", with: "\\e")
            // The dashes of an option are minus signs, and a dot or quote at the start of a line must not
            // become a request.
            if plain.hasPrefix("-") { return plain.replacing("-", with: "\\-") }
            return plain.hasPrefix(".") || plain.hasPrefix("'") ? "\\&" + plain : plain
        }.joined(separator: " ")
    }

    private static func capitalized(_ text: String) -> String {
        text.prefix(1).uppercased() + text.dropFirst()
    }
}
