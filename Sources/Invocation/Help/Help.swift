import Model

/// The texts of `--help` and `--version`, made from the tables. Each ends with a line feed.
public enum Help {
    /// The program's version. It is defined only here.
    public static let version = "0.1.0"
    private static let program = "wifi-toggler"

    /// The help of a command, or of the whole program if no command is given.
    public static func text(for command: Command?) -> String {
        command.map(commandText) ?? generalText
    }

    /// The usage line, without a line feed.
    static func usage(of command: Command?) -> String {
        guard let command else { return "Usage: \(program) COMMAND [OPTION]... [INTERFACE]..." }
        let words = [program, command.rawValue, "[OPTION]...", command.row.operands.placeholder]
        return "Usage: " + words.filter { !$0.isEmpty }.joined(separator: " ")
    }

    /// The options that most users need, which the general help lists.
    private static let usual: Set<OptionName> = [.probe, .delay, .dryRun, .json, .verbose]

    /// The general help. It fits on a screen of 24 lines, below the prompt.
    private static var generalText: String {
        """
        \(usage(of: nil))
        Checks whether a Wi-Fi link is healthy, and switches it off and on if it is not.

        \(commands)
        Options that most users need (wifi-toggler COMMAND --help lists the others):
        \(options(OptionTable.rows.filter { usual.contains($0.name) }))
        Exit status: 0 healthy, 1 sick, 2 unknown, else an error; see wifi-toggler(8).

        """
    }

    private static var exitStatus: String {
        TextColumns.format(ExitStatusTable.rows.map { (String($0.status), $0.meaning) })
    }

    private static func commandText(_ command: Command) -> String {
        let row = command.row
        let about = usage(of: command) + "\n" + capitalized(row.help) + ".\n"
        let sentences = TextColumns.wrap(row.manual.joined(separator: " "), width: TextColumns.width)
        let rows = OptionTable.rows(for: command)
        return about + "\n" + sentences.joined(separator: "\n") + "\n\nOptions (with their defaults):\n"
            + options(rows) + notes(row, rows) + "\nExit status:\n" + exitStatus
    }

    private static var commands: String {
        TextColumns.format(Command.allCases.map { ($0.rawValue, $0.row.help) })
    }

    private static func options(_ rows: [OptionRow]) -> String {
        TextColumns.format(
            rows.map { row in
                let short = row.short.map { "-\($0), " } ?? "    "
                let argument = row.kind.placeholder.map { " " + $0 } ?? ""
                // A flag is always off by default, which the help does not repeat.
                let usual = row.kind == .flag ? nil : row.defaultText
                return (short + row.flag + argument, row.help + (usual.map { " (\($0))" } ?? ""))
            })
    }

    /// The meaning of the placeholders that occur.
    private static func notes(_ command: CommandRow, _ options: [OptionRow]) -> String {
        let placeholders = Set([command.operands.placeholder] + options.compactMap(\.kind.placeholder))
        let rows = [
            ("INTERFACE", "a name or a glob ('wl*'); without it: \(command.withoutInterface)"),
            ("DURATION", "500ms, 3s, 2m, 1h30m, 1d; a bare number is seconds"),
            ("T", "2h or 7d ago; the day 2026-02-03; the time 2026-02-03T04:05:06Z"),
            ("LAYER", Layer.eligibleForBounce.map(\.rawValue).joined(separator: ", ")),
            ("METHOD", "auto, or any of \(methods); auto may be followed by \(methodsBesideAuto)"),
            ("WINDOW", "22:00-06:30, mon-fri 08:00-18:00, sat,sun 00:00-24:00; or none"),
            ("SPEC", "auto, none, neighbour[:ADDR], icmp[:HOST], tcp:HOST:PORT,"),
            ("", "dns:NAME[@SERVER], http:URL, command:PATH;"),
            ("", "a probe with a leading + must succeed"),
        ]
        let words = Set(placeholders.flatMap { $0.split { !$0.isLetter } })
        let used = rows.filter { words.contains($0.0.isEmpty ? "SPEC" : $0.0[...]) }
        return used.isEmpty ? "" : "\n" + TextColumns.format(used)
    }

    private static let methods = enumeration(Method.allCases)
    private static let methodsBesideAuto = enumeration(Method.allCases.filter(MethodText.mayFollowAutomatic))

    private static func enumeration(_ methods: [Method]) -> String {
        methods.map { $0 == .hook ? "hook:PATH" : $0.rawValue }.joined(separator: ", ")
    }

    private static func capitalized(_ text: String) -> String {
        text.prefix(1).uppercased() + text.dropFirst()
    }
}
