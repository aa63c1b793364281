@testable import Invocation

/// The completion of fish(1).
enum FishCompletion {
    static var text: String {
        """
        # Completion of wifi-toggler for fish. Made from the program's table of options.

        # The Wi-Fi interfaces; all interfaces if none is Wi-Fi, or with --any-interface.
        function __wifi_toggler_interfaces
            set -l every
            set -l wireless
            for path in /sys/class/net/*/
                set -l name (string split / (string trim -r -c / $path))[-1]
                set -a every $name
                test -e $path/phy80211; and set -a wireless $name
            end
            if set -q wireless[1]; and not __fish_contains_opt any-interface
                set every $wireless
            end
            printf '%s\\n' $every
        end

        # Before the command every option may be used, after it only the options of the command.
        function __wifi_toggler_takes
            not __fish_seen_subcommand_from \(commandWords(CompletionWords.commands))
            or __fish_seen_subcommand_from $argv
        end

        complete -c wifi-toggler -f
        \(commands)
        complete -c wifi-toggler \
        -n '__fish_seen_subcommand_from \(commandWords(CompletionWords.takingInterfaces))' \
        -a '(__wifi_toggler_interfaces)'
        complete -c wifi-toggler \
        -n '__fish_seen_subcommand_from \(commandWords(CompletionWords.takingFile))' -F
        \(options)

        """
    }

    private static func commandWords(_ commands: [Command]) -> String {
        commands.map(\.rawValue).joined(separator: " ")
    }

    private static var commands: String {
        CompletionWords.commands.map { command in
            "complete -c wifi-toggler -n 'not __fish_seen_subcommand_from"
                + " \(commandWords(CompletionWords.commands))'"
                + " -a \(command.rawValue) -d \(quote(command.row.help))"
        }.joined(separator: "\n")
    }

    private static var options: String {
        OptionTable.rows.map { row in
            let commands = CompletionWords.commands.filter { row.commands.contains($0) }
            return "complete -c wifi-toggler -n '__wifi_toggler_takes \(commandWords(commands))'"
                + (row.short.map { " -s \($0)" } ?? "") + " -l \(row.name.rawValue)"
                + argument(row) + " -d \(quote(row.help))"
        }.joined(separator: "\n")
    }

    private static func argument(_ row: OptionRow) -> String {
        switch CompletionWords.argument(of: row) {
        case .none: ""
        case .unknown: " -x"
        case .file: " -r -F"
        case .directory: " -x -a '(__fish_complete_directories)'"
        case .user: " -x -a '(__fish_complete_users)'"
        case .words(let words): " -x -a \(quote(words.joined(separator: " ")))"
        }
    }

    private static func quote(_ text: String) -> String { "'" + text.replacing("'", with: "\\'") + "'" }
}
