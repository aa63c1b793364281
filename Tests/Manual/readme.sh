# Tests README.md: runs its commands, and compares the run that it shows with a run of contrib/demonstration.
# shellcheck shell=bash disable=SC2154 # sourced by run

# The least number of commands: fewer means that the parser missed some.
readonly fewest_of_readme=11
# The maximum length of README.md in words. At 250 words a minute, people read it in three minutes.
readonly most_words=700

# Prints the command lines of README.md, without sudo and remarks.
readme_lines() { sed -n '/^## What it looks/,/^## Install/d; s/^    \(sudo \)\{0,1\}\([a-z].*\)$/\2/p' "$root/README.md" | sed 's/  *#.*$//; s/  *$//'; }
# These print the lines of the run that README.md shows, and the lines that contrib/demonstration prints, whose ends
# README.md may leave out. How soon the link is back, and which probe is answered first, differs from run to run.
readme_run() {
    sed -n '/^## What it looks/,/^## Install/s/^    //p' "$root/README.md" | grep -vE '^\.\.\.$|✗' | sed 's/^\($ .*\) demo0$/\1/' | alike
}
demonstrated() {
    "$root/contrib/demonstration" /usr/local/sbin/wifi-toggler >/run/words 2>&1 || wrong "the demonstration: $(cat /run/words)"
    sed 's/^ *//; s/^\($ .*\) --verbose/\1/' /run/words | alike
}
alike() { sed -E 's/back [0-9.]+m?s (after the raise: healthy): .*/back SOON \1/'; }
# These print the number of README.md's words, and the configuration file that it shows.
readme_words() { wc -w <"$root/README.md"; }
readme_configuration() { sed -n '/^    \[default\]$/,/^`/s/^    //p' "$root/README.md"; }

# year_of PROGRAM: prints the time without network in a year with this program, as contrib/year has found it.
year_of() {
    awk -F ' *[|] *' -v program="$1" '
        !column { for (i = 1; i <= NF; i++) if ($i == "without network") column = i }
        $2 == program { print $column }' "$root/contrib/docs/PERFORMANCE.md"
}

# run_readme_line LINE: runs a command of README.md if it is this project's. Of other commands, the files that they name
# must exist.
run_readme_line() {
    local line=$1 word
    case $line in
        "wifi-toggler "*) run_example "$line" ;;
        "systemctl enable --now "*)
            word=${line##* }
            word=${word/@*./@.}
            [ -e "$root/contrib/$word.service" ] || [ -e "$root/contrib/systemd/$word" ] || wrong "no unit: $line"
            ;;
        "install -m 644 /usr/share/doc/wifi-toggler/examples/"* | \
            "install -D -m 755 /usr/share/doc/wifi-toggler/examples/hooks/"*)
            word=${line#install * /usr/share/doc/wifi-toggler/examples/}
            [ -f "$root/contrib/${word%% *}" ] || wrong "README.md installs ${word%% *}, which is not there"
            ;;
        "contrib/"* | "deb=\$(contrib/package) && sudo apt-get install \"\$deb\"")
            for word in $(grep -o 'contrib/[a-z.-]*' <<<"$line"); do
                [ -f "$root/$word" ] || wrong "README.md names $word, which is not there"
            done
            ;;
        "editor /etc/wifi-toggler/hooks.d/"*)
            [ -f "$root/contrib/hooks/${line##*/}" ] || wrong "README.md changes ${line##*/}, which is not there"
            ;;
        *) wrong "README.md has a line that nobody knows how to check: $line" ;;
    esac
}

readme_is_true() {
    local line count=0 resort year
    while read -r line; do
        run_readme_line "$line"
        count=$((count + 1))
    done < <(readme_lines | grep -vE ' = ')
    [ $count -ge $fewest_of_readme ] || wrong "only $count lines of README.md are found"
    [ "$(readme_words)" -le $most_words ] || wrong "README.md has $(readme_words) words, more than $most_words"
    readme_run >/run/shown
    [ "$(wc -l </run/shown)" -ge 4 ] || wrong "the run that README.md shows is not found"
    demonstrated >/run/demonstrated
    awk 'NR == FNR { shown[NR] = $0; next } n < NR - FNR && index($0, shown[n + 1]) == 1 { n++ }
        END { if (n < NR - FNR) { print "README.md shows: " shown[n + 1]; exit 1 } }' /run/shown /run/demonstrated >&2 \
        || wrong "contrib/demonstration prints this: $(cat /run/words)"
    readme_configuration >/run/example.conf
    expect "wifi-toggler run --check --config /run/example.conf" 0
    grep -q quiet-hours /run/words || wrong "README.md's configuration is not found"
    resort=auto,reset,reboot
    year="$(year_of nobody) without this program, $(year_of wifi-toggler) with it, "
    year+="$(year_of "wifi-toggler --method $resort") with \`method = $resort\`"
    tr -s '\n ' ' ' <"$root/README.md" | grep -qF "simulated year a machine is offline for $year" \
        || wrong "the simulated year of README.md is not that of contrib/docs/PERFORMANCE.md"
    echo "$count lines of README.md are true"
}
