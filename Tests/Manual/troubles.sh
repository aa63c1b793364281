# Tests the command lines, the configurations and the quotations of contrib/docs/TROUBLESHOOTING.md, and that four
# of its sections are short.
# shellcheck shell=bash disable=SC2154 # sourced by run

# The least number of examples: fewer means that the parser missed some.
readonly fewest_of_troubles=70 fewest_quotations=12 fewest_blocks=4
# The sections that a reader should take in at a glance, and the most lines that each may have, without empty lines.
readonly short_sections=("Raspberry Pi" NetworkManager "Bond or bridge" "Headless server") most_of_section=10

# Print the command lines of TROUBLESHOOTING.md, without sudo and remarks; and its quotations.
trouble_lines() {
    sed -e ':join' -e '/\\$/N; s/\\\n *//; t join' "$troubles" | awk '
        /^```/ { fenced = !fenced; shell = $0 == "```sh"; next }
        shell || !fenced && /^    ( |  )?[a-z]/ { sub(/^ */, ""); sub(/^sudo /, ""); sub(/ +#.*$/, ""); print }'
}
# Print the N-th configuration block that the page shows; and how many blocks there are.
block_of_troubles() {
    awk -v wanted="$1" '/^ *```ini$/ { n++; shown = 1; next } /^ *```$/ { shown = 0 } shown && n == wanted' "$troubles"
}
blocks_of_troubles() { grep -cE '^ *```ini$' "$troubles"; }
# Print the lines of the section with this title, without the title and empty lines.
lines_of_section() { awk -v title="## $1" '/^## / { shown = $0 == title; next } shown && NF' "$troubles"; }
quotations() { sed -n 's/^| `\([^`]*\)` |.*/\1/p' "$troubles"; }

short_sections_are_short() {
    local title lines
    for title in "${short_sections[@]}"; do
        lines=$(lines_of_section "$title" | wc -l)
        [ "$lines" -ge 1 ] || wrong "TROUBLESHOOTING.md has no section '$title'"
        [ "$lines" -le $most_of_section ] \
            || wrong "the section '$title' of TROUBLESHOOTING.md has $lines lines; it may have $most_of_section"
    done
}

troubles_are_true() {
    local line count=0 quoted=0 number
    short_sections_are_short
    while read -r line; do
        case $line in
            "wifi-toggler "* | "journalctl MESSAGE_ID="*) run_example "$line" ;;
            "ip "* | "rfkill list" | *" nft "*)
                check_other "$line"
                run_example "$line"
                ;;
            *) check_other "$line" ;;
        esac
        count=$((count + 1))
    done < <(trouble_lines)
    while read -r line; do
        grep -rqF -- "$line" "$root/Sources" || wrong "no message of the program has '$line', which TROUBLESHOOTING.md quotes"
        quoted=$((quoted + 1))
    done < <(quotations)
    [ "$(blocks_of_troubles)" -ge $fewest_blocks ] || wrong "the configuration blocks of TROUBLESHOOTING.md are not found"
    for number in $(seq "$(blocks_of_troubles)"); do
        { cat "$root/contrib/wifi-toggler.conf.example" && block_of_troubles "$number"; } >/run/example.conf
        expect "wifi-toggler run --check --config /run/example.conf" 0
    done
    [ $count -ge $fewest_of_troubles ] && [ $quoted -ge $fewest_quotations ] \
        || wrong "only $count lines and $quoted quotations of TROUBLESHOOTING.md are found"
    echo "$count lines and $quoted quotations of TROUBLESHOOTING.md are true"
}
