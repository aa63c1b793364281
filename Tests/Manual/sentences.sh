# Tests the commands and settings that stand within sentences: in backquotes in README.md and in contrib/docs, and as
# literals (.Ql) in the manual pages.
# shellcheck shell=bash disable=SC2154 # sourced by run

# The least number of literals: fewer means that the parser missed some.
readonly fewest_own=25 fewest_others=40 fewest_settings=12

# Prints what README.md and contrib/docs have in backquotes, without blocks and indented lines, one per line, without
# sudo. A literal may go on in the next line.
literals_of_docs() {
    sed -e '/^ *```/,/^ *```/d' -e '/^    /d' "$root"/README.md "$root"/contrib/README.md "$root"/contrib/docs/*.md \
        | tr '\n' ' ' | tr -s ' ' | grep -oE '`[^`]+`' | sed 's/^`//; s/`$//; s/^sudo //'
}

# Prints the literals of the manual pages, without markup and the punctuation after them.
literals_of_manual() {
    sed -n 's/^\.Ql //p' "$root"/man/* | sed "s/\\\\-/-/g; s/\\\\(aq/'/g; s/\\\\(dq/\"/g; s/\\\\&//g; s/ [.,;:)]*\$//; s/\\.\$//"
}

# run_own LINE: runs a command of this program. Without arguments, a sentence only names the command.
run_own() {
    local line=${1%% && *} command
    command=$(cut -d ' ' -f 2 <<<"$line")
    case $line in
        "wifi-toggler $command") expect "wifi-toggler $command --help" 0 ;;
        # The virtual link has no device that could be reset, so that no other method is left.
        "wifi-toggler toggle --method reset wlan0") expect "$line" 69 ;;
        "wifi-toggler status"* | "wifi-toggler run "* | "wifi-toggler doctor"*) run_example "$line" ;;
        *) expect "$line" 0 ;;
    esac
}

# run_setting "KEY = VALUE": the program must accept it.
run_setting() {
    printf '[default]\n%s\n' "$1" >/run/example.conf
    expect "wifi-toggler run --check --config /run/example.conf" 0
}

is_key() { grep -qE "^#?${1%% = *} = " "$root/contrib/wifi-toggler.conf.example"; }

sentences_are_true() {
    local line own=0 others=0 settings=0
    while read -r line; do
        case $line in
            # Words in capitals stand for something else, except in commands whose syntax is all that is checked.
            wifi-toggler\ *[A-Z]*) ;;
            wifi-toggler\ [a-z]* | wifi-toggler\ --version) run_own "$line" && own=$((own + 1)) ;;
            "ssh HOST sudo wifi-toggler "*) run_own "${line#ssh HOST sudo }" && own=$((own + 1)) ;;
            [a-z]*\ =\ *)
                is_key "$line" || continue
                run_setting "$line" && settings=$((settings + 1))
                ;;
            contrib/*\ * | Tests/*\ * | ansible\ * | apt-get\ * | dpkg\ * | gpg\ * | ip\ * | iw\ * | journalctl\ * | kill\ * | ls\ * | \
                modprobe\ * | networkctl\ * | nft\ * | nmcli\ * | rfkill\ * | rm\ * | swift\ * | systemctl\ * | \
                systemd-analyze\ * | systemd-run\ *)
                check_other "$line" && others=$((others + 1))
                ;;
        esac
    done < <({ literals_of_docs && literals_of_manual; } | sort -u)
    [ $own -ge $fewest_own ] && [ $others -ge $fewest_others ] && [ $settings -ge $fewest_settings ] \
        || wrong "only $own commands of this program, $others of others and $settings settings are found in sentences"
    echo "$((own + others)) commands and $settings settings in sentences are right"
}
