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
    printf '%s\n' "${every[@]}"
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
        run | toggle | reconnect | probe | list | status | history | doctor | hold | repair | replay) command=${COMP_WORDS[index]} && break ;;
        esac
    done
    COMPREPLY=()
    case $previous in
    -i | --interval) return ;;
    -p | --probe) mapfile -t COMPREPLY < <(compgen -W 'auto none neighbour icmp tcp dns http command' -- "$word"); return ;;
    --quorum) return ;;
    --command-user) mapfile -t COMPREPLY < <(compgen -u -- "$word"); return ;;
    --bounce-on) mapfile -t COMPREPLY < <(compgen -W 'association address gateway dns internet portal' -- "$word"); return ;;
    --fall) return ;;
    --rise) return ;;
    --recheck) return ;;
    --timeout) return ;;
    --degraded-loss) return ;;
    --degraded-latency) return ;;
    -d | --delay) return ;;
    --settle) return ;;
    --restore) mapfile -t COMPREPLY < <(compgen -W 'yes no' -- "$word"); return ;;
    --method) mapfile -t COMPREPLY < <(compgen -W 'auto reassociate owner restart-owner bounce rfkill rebind reset hook: reboot' -- "$word"); return ;;
    --power-save) mapfile -t COMPREPLY < <(compgen -W 'off auto leave' -- "$word"); return ;;
    --backoff) return ;;
    --backoff-max) return ;;
    --grace) return ;;
    --reboot-after) return ;;
    --quiet-hours) return ;;
    --budget) return ;;
    --budget-per-day) return ;;
    --wait) return ;;
    --config) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
    --state-dir) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- "$word"); return ;;
    --run-dir) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- "$word"); return ;;
    --metrics) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
    --hooks-dir) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- "$word"); return ;;
    --record) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
    --since) return ;;
    --html) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
    --log) mapfile -t COMPREPLY < <(compgen -W 'auto stderr journal syslog' -- "$word"); return ;;
    esac
    case $command in
    run) options='-i --interval -p --probe --quorum --command-user -f --force --bounce-on --fall --rise --recheck --timeout --degraded-loss --degraded-latency -d --delay --settle --restore --no-fast-reconnect --method --power-save --announce --backoff --backoff-max --grace --reboot-after --quiet-hours --even-if-in-use --budget --budget-per-day --wait -n --dry-run --any-interface --config --state-dir --run-dir --metrics --hooks-dir --record --check --json -q --quiet -v --verbose --log -h --help -V --version' ;;
    toggle) options='-p --probe --quorum --command-user -f --force --recheck --timeout -d --delay --settle --restore --no-fast-reconnect --method --power-save --announce --wait -n --dry-run --any-interface --config --state-dir --run-dir --record --json -q --quiet -v --verbose --log -h --help -V --version' ;;
    reconnect) options='-p --probe --quorum --command-user -f --force --bounce-on --fall --rise --recheck --timeout -d --delay --settle --restore --no-fast-reconnect --method --power-save --announce --backoff --backoff-max --quiet-hours --even-if-in-use --budget --budget-per-day --wait -n --dry-run --any-interface --config --state-dir --run-dir --record --json -q --quiet -v --verbose --log -h --help -V --version' ;;
    probe) options='-p --probe --quorum --command-user --timeout --any-interface --config --state-dir --run-dir --record --json -q --quiet -v --verbose --log -h --help -V --version' ;;
    list) options='--any-interface --config --json -q --quiet -v --verbose --log -h --help -V --version' ;;
    status) options='--config --run-dir --watch --json -q --quiet -v --verbose --log -h --help -V --version' ;;
    history) options='--config --state-dir --since --html --json -q --quiet -v --verbose --log -h --help -V --version' ;;
    doctor) options='--any-interface --config --state-dir --run-dir --json -q --quiet -v --verbose --log -h --help -V --version' ;;
    hold) options='--any-interface --config --run-dir -q --quiet -v --verbose --log -h --help -V --version' ;;
    repair) options='--wait -n --dry-run --any-interface --config --state-dir --run-dir --json -q --quiet -v --verbose --log -h --help -V --version' ;;
    replay) options='-q --quiet -v --verbose --log -h --help -V --version' ;;
    *) options='-i --interval -p --probe --quorum --command-user -f --force --bounce-on --fall --rise --recheck --timeout --degraded-loss --degraded-latency -d --delay --settle --restore --no-fast-reconnect --method --power-save --announce --backoff --backoff-max --grace --reboot-after --quiet-hours --even-if-in-use --budget --budget-per-day --wait -n --dry-run --any-interface --config --state-dir --run-dir --metrics --hooks-dir --record --check --watch --since --html --json -q --quiet -v --verbose --log -h --help -V --version' ;;
    esac
    if [[ $word == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
    elif [[ -z $command ]]; then
        mapfile -t COMPREPLY < <(compgen -W 'run toggle reconnect probe list status history doctor hold repair replay' -- "$word")
    elif [[ $command == @(run|toggle|reconnect|probe|status|history|doctor|hold|repair) ]]; then
        # Not with compgen -W, which would run what a name contains.
        while IFS= read -r name; do
            [[ $name == "$word"* ]] && COMPREPLY+=("$name")
        done < <(_wifi_toggler_interfaces)
    elif [[ $command == @(replay) ]]; then
        compopt -o filenames
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
    fi
}

complete -F _wifi_toggler wifi-toggler
