@testable import Invocation

/// The completion of bash(1), without the package bash-completion.
enum BashCompletion {
    static var text: String {
        """
        # Completion of wifi-toggler for bash. Made from the program's table of options.

        # The Wi-Fi interfaces; all interfaces if none is Wi-Fi, or with --any-interface.
        _wifi_toggler_interfaces() {
            local path every=() wireless=()
            for path in /sys/class/net/*; do
                [[ -d $path ]] || continue
                every+=("${path##*/}")
                [[ -e $path/phy80211 ]] && wireless+=("${path##*/}")
            done
            if ((${#wireless[@]} > 0)) && [[ " ${COMP_WORDS[*]} " != *' --any-interface '* ]]; then
                every=("${wireless[@]}")
            fi
            printf '%s\\n' "${every[@]}"
        }

        _wifi_toggler() {
            local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
            local command='' options='' index name
            # bash makes a word of its own of the sign in --option=value.
            if [[ $word == = ]]; then
                word=''
            elif [[ $previous == = ]] && ((COMP_CWORD > 1)); then
                previous=${COMP_WORDS[COMP_CWORD - 2]}
            fi
            for ((index = 1; index < COMP_CWORD; index++)); do
                case ${COMP_WORDS[index]} in
                \(commandPattern)) command=${COMP_WORDS[index]} && break ;;
                esac
            done
            COMPREPLY=()
            case $previous in
        \(argumentCases)
            esac
            case $command in
        \(optionCases)
            esac
            if [[ $word == -* ]]; then
                mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
            elif [[ -z $command ]]; then
                mapfile -t COMPREPLY < <(compgen -W '\(commandWords)' -- "$word")
            elif [[ $command == @(\(interfacePattern)) ]]; then
                # Not with compgen -W, which would run what a name contains.
                while IFS= read -r name; do
                    [[ $name == "$word"* ]] && COMPREPLY+=("$name")
                done < <(_wifi_toggler_interfaces)
            elif [[ $command == @(\(filePattern)) ]]; then
                compopt -o filenames
                mapfile -t COMPREPLY < <(compgen -f -- "$word")
            fi
        }

        complete -F _wifi_toggler wifi-toggler

        """
    }

    private static var commandPattern: String {
        CompletionWords.commands.map(\.rawValue).joined(separator: " | ")
    }
    private static var commandWords: String {
        CompletionWords.commands.map(\.rawValue).joined(separator: " ")
    }
    private static var interfacePattern: String {
        CompletionWords.takingInterfaces.map(\.rawValue).joined(separator: "|")
    }

    private static var filePattern: String {
        CompletionWords.takingFile.map(\.rawValue).joined(separator: "|")
    }

    private static var argumentCases: String {
        OptionTable.rows.compactMap { row in
            let action: String? =
                switch CompletionWords.argument(of: row) {
                case .none: nil
                case .unknown: "return"
                case .file: "compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- \"$word\"); return"
                case .directory:
                    "compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- \"$word\"); return"
                case .user: "mapfile -t COMPREPLY < <(compgen -u -- \"$word\"); return"
                case .words(let words):
                    "mapfile -t COMPREPLY < <(compgen -W '\(words.joined(separator: " "))'"
                        + " -- \"$word\"); return"
                }
            let pattern = CompletionWords.flags(row).joined(separator: " | ")
            return action.map { "    \(pattern)) \($0) ;;" }
        }.joined(separator: "\n")
    }

    private static var optionCases: String {
        let cases = CompletionWords.commands.map { ($0.rawValue, OptionTable.rows(for: $0)) }
        return (cases + [("*", OptionTable.rows)]).map { pattern, rows in
            let words = rows.flatMap(CompletionWords.flags).joined(separator: " ")
            return "    \(pattern)) options='\(words)' ;;"
        }.joined(separator: "\n")
    }
}
