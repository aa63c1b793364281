@testable import Invocation

/// The completion of zsh(1).
enum ZshCompletion {
    static var text: String {
        """
        #compdef wifi-toggler
        # Completion of wifi-toggler for zsh. Made from the program's table of options.

        _wifi_toggler_commands() {
            local -a commands=(
        \(commands)
            )
            _describe -t commands command commands
        }

        # The Wi-Fi interfaces; all interfaces if none is Wi-Fi, or with --any-interface.
        _wifi_toggler_interfaces() {
            local -a every=(/sys/class/net/*(N-/:t)) wireless=(/sys/class/net/*/phy80211(N:h:t))
            if (($#wireless > 0 && ! $words[(I)--any-interface])); then
                every=($wireless)
            fi
            _wanted interfaces expl interface compadd -a every
        }

        _wifi_toggler() {
            local -a options
            case ${words[(r)(\(commandPattern))]} in
        \(cases)
            esac
            _arguments -s -S $options
        }

        _wifi_toggler "$@"

        """
    }

    private static var commandPattern: String {
        CompletionWords.commands.map(\.rawValue).joined(separator: "|")
    }

    private static var commands: String {
        CompletionWords.commands
            .map { "        " + quote("\($0.rawValue):\($0.row.help.replacing(":", with: "\\:"))") }
            .joined(separator: "\n")
    }

    private static var cases: String {
        let commands = CompletionWords.commands.map { command in
            option(
                pattern: command.rawValue, OptionTable.rows(for: command), operand: operand(command))
        }
        return (commands + [option(pattern: "*", OptionTable.rows, operand: nil)])
            .joined(separator: "\n")
    }

    private static func operand(_ command: Command) -> String? {
        if CompletionWords.takingInterfaces.contains(command) {
            return "'*:interface:_wifi_toggler_interfaces'"
        }
        return CompletionWords.takingFile.contains(command) ? "'2:file:_files'" : nil
    }

    private static func option(pattern: String, _ rows: [OptionRow], operand: String?) -> String {
        var lines = rows.flatMap(specifications)
        lines.append("'1:command:_wifi_toggler_commands'")
        if let operand { lines.append(operand) }
        return "    \(pattern))\n        options=(\n"
            + lines.map { "            \($0)\n" }.joined() + "        ) ;;"
    }

    private static func specifications(_ row: OptionRow) -> [String] {
        let flags = CompletionWords.flags(row)
        // All values of these options are used. Of other options the last one wins.
        let isRepeatable = row.kind == .probe || row.kind == .quietWindow
        let exclusion = isRepeatable ? "*" : "(\(flags.joined(separator: " ")))"
        let argument = row.kind.placeholder.map { ":\($0):\(action(row))" } ?? ""
        let help = row.help.replacing(":", with: "\\:").replacing("[", with: "\\[").replacing(
            "]", with: "\\]")
        return flags.map { flag in
            let sign = row.kind.placeholder == nil ? "" : flag.hasPrefix("--") ? "=" : "+"
            return quote("\(exclusion)\(flag)\(sign)[\(help)]\(argument)")
        }
    }

    private static func action(_ row: OptionRow) -> String {
        switch CompletionWords.argument(of: row) {
        case .none, .unknown: " "
        case .file: "_files"
        case .directory: "_files -/"
        case .user: "_users"
        // An unescaped colon would end the action in the specification.
        case .words(let words): "(\(words.joined(separator: " ").replacing(":", with: "\\:")))"
        }
    }

    private static func quote(_ text: String) -> String { "'" + text.replacing("'", with: "'\\''") + "'" }
}
