# Runs the program, records the kernel's events, and compares them with what a scenario expects. Every wait is for a
# condition, with a deadline and a sentence. If a condition is not met, the scenario ends and prints the last lines of
# all that was recorded.
# shellcheck shell=bash disable=SC2154 # sourced after network.sh

set -eEuo pipefail
shopt -s inherit_errexit extglob

# fail EXPECTED [SEEN]: ends the scenario and prints what was expected, what was seen, and the traces.
fail() {
    trap - ERR
    set +eE
    printf '\nFAILED at %s\nexpected: %s\n' "$(story_line)" "$1"
    [[ ! ${2+set} ]] || printf 'seen:     %s\n' "$2"
    local file
    for file in "$scratch"/{program*.out,program*.err,*.log}; do
        [[ ! -s $file ]] || { printf -- '--- %s\n' "${file##*/}"; tail -n 40 "$file"; }
    done
    printf -- '--- %s, the last 60 lines since the mark\n' "ip -ts monitor link"
    trace_since_mark | tail -n 60
    printf -- '--- %s\n' "iw event -t"
    tail -n 40 "$scratch/wireless.trace"
    printf -- '--- %s\n' "now"
    ip address show dev $station
    ip route show table all dev $station
    iw dev $station link
    ip neighbour
    exit 1
}
trap 'fail "that this works: $BASH_COMMAND"' ERR

# skip REASON: ends a scenario that cannot or need not run this time; `run` shows the reason.
skip() {
    trap - ERR
    echo "skipped ${TRACE##*/}: $1" | tee -a "$REPORT"
    exit 77
}

# Prints the file and the line of the scenario that is being run: those of the innermost call outside the lab's own
# functions.
story_line() {
    local depth
    for depth in "${!BASH_SOURCE[@]}"; do
        [[ ${BASH_SOURCE[depth]} != */@(ARM64|WiFiLab/@(scenarios|catalogue|measures))/* ]] ||
            { echo "${BASH_SOURCE[depth]##*/}:${BASH_LINENO[depth - 1]}"; return; }
    done
}

milliseconds() { local up rest; read -r up rest </proc/uptime; echo "$((10#${up/./}))0"; }
tell() { printf '%8.2f  %s\n' "$(milliseconds)e-3" "$*"; }

# pause: waits for 0.1 seconds without starting a process. Nobody ever writes to this pipe.
exec {never}<> <(:)
pause() { read -rt 0.1 -u "$never" || :; }

# within SECONDS SENTENCE COMMAND...: waits until COMMAND succeeds. SECONDS is meant for an idle machine; the actual
# limit is twice as long, for a busy one.
within() {
    local seconds=$((2 * $1)) sentence=$2 deadline
    shift 2
    deadline=$(($(milliseconds) + seconds * 1000))
    until "$@"; do
        (($(milliseconds) < deadline)) || fail "$sentence" "not so within $seconds s"
        pause
    done
    tell "$sentence"
}

## The kernel's events

# The recorders run with real-time priority. Otherwise their times would be too late on a busy machine.
record() {
    chrt --fifo 1 ip -ts -oneline monitor link >"$scratch/link.trace" &
    chrt --fifo 1 iw event -t >"$scratch/wireless.trace" 2>&1 &
    marks=20000 since=$marks
    mark
}

# mark: from here on, events count. The mark is an event itself (a change of the loopback link's MTU), and this waits
# until the trace has it. A barrier in a subshell may have used the next number before; that does no harm here.
mark() {
    marks=$((marks + 1))
    barrier
    since=$marks
}
barrier() {
    local deadline=$(($(milliseconds) + 10000))
    marks=$((marks + 1))
    # Repeat the change, because the recorder may not be ready yet.
    until grep -q "lo:.* mtu $marks " "$scratch/link.trace"; do
        (($(milliseconds) < deadline)) || fail "the recorder of the kernel's events keeps up"
        ip link set lo mtu 65536
        ip link set lo mtu "$marks"
        pause
    done
}
trace_since_mark() { sed "1,/lo:.* mtu $since /d" "$scratch/link.trace"; }
link_events() { barrier; trace_since_mark | grep ": $station[:@]" || :; }

# changes: the changes of the station's administrative state since the mark, as lines `down|up SECONDS`.
changes() {
    barrier
    awk -v link="^$station[:@]" -v mark="mtu $since " '
        $3 == "lo:" && index($0, mark) { counting = 1 }
        $2 == "Deleted" && $4 ~ link { up = 0; next }
        $3 ~ link {
            now = $4 ~ /[<,]UP[,>]/
            split(substr($1, 13, 15), clock, ":")
            if (now != up && counting)
                printf "%s %.3f\n", now ? "up" : "down", (clock[1] * 60 + clock[2]) * 60 + clock[3]
            up = now
        }' "$scratch/link.trace"
}

# day_seconds: the time as `changes` prints it.
day_seconds() {
    local now=$EPOCHREALTIME hours minutes seconds
    printf -v hours '%(%H)T' "${now%.*}"
    printf -v minutes '%(%M)T' "${now%.*}"
    printf -v seconds '%(%S)T' "${now%.*}"
    echo "$(((10#$hours * 60 + 10#$minutes) * 60 + 10#$seconds)).${now#*.}"
}
# raised_after SECONDS: how many milliseconds after this time of the day the kernel raised the link last, or 0 if that
# was before.
raised_after() {
    changes | awk -v begin="$1" '
        $1 == "up" { late = $2 - begin; if (late < -43200) late += 86400 }
        END { printf("%d\n", (late > 0) ? 1000 * late : 0) }'
}

expect_no_event() {
    local events
    events=$(link_events)
    [[ ! $events ]] || fail "no event at all on $station since the mark" "$events"
    tell "no event at all on $station"
}

# expect_bounces COUNT SECONDS: expects this many pairs of down and up since the mark. Each must keep the link down for
# at least the requested time, and at most twenty seconds longer, because a busy machine may be late. The 30 ms are the
# error of reading two clocks on an emulated processor. With a third argument, the last bounce may be shorter, because a
# signal has ended it.
expect_bounces() {
    local seen
    seen=$(changes)
    awk -v count="$1" -v least="$2" -v cut="${3:+yes}" '
        $1 != (NR % 2 ? "down" : "up") { wrong = 1 }
        $1 == "up" && (($2 - down < least - 0.03 && !(cut && NR == 2 * count)) || $2 - down > least + 20) { wrong = 1 }
        { down = $2 }
        END { exit wrong || NR != 2 * count }' <<<"$seen" ||
        fail "$1 times exactly one down and one up, kept down for $2 s or up to 20 s longer" "$seen"
    tell "$1 bounces:" $seen
}

has_bounced() { (($(changes | grep -c up || :) >= $1)); }

# expect_beat SECONDS: expects at least seven downs since the mark, and that all but two of them follow one schedule: on
# a busy machine some are late. If the ticks drifted by a third of the beat or more, at most four of seven would be
# within 0.6 s of one schedule. The first down does not count: a slow guest may load the program after the clock of the
# ticks has started.
expect_beat() {
    local seen
    seen=$(changes)
    awk -v beat="$1" '
        $1 == "down" && ++downs > 1 { time[++count] = $2 }
        END {
            for (base = 1; base <= count; base++) {
                together = 0
                for (other = 1; other <= count; other++) {
                    off = (time[other] - time[base]) / beat + 1000
                    off = (off - int(off + 0.5)) * beat
                    together += off <= 0.6 && off >= -0.6
                }
                if (together > best) best = together
            }
            exit count < 7 || best < count - 2
        }' <<<"$seen" || fail "downs at multiples of $1 s from one of them, but for two" "$seen"
    tell "on the beat of $1 s"
}

is_up() { [[ $(ip link show dev $station) == *[\<,]UP[,\>]* ]]; }
is_down() { ! is_up; }

## The program

# beside_service: makes the program find a service that runs as the user 64613, who owns its directory.
beside_service() {
    { grep -v '^wifi-toggler:' /etc/passwd; echo 'wifi-toggler:x:64613:64613::/:/bin/false'; } >"$scratch/passwd"
    mount --bind "$scratch/passwd" /etc/passwd
    mkdir -p /run/wifi-toggler
    chown -R 64613:64613 /run/wifi-toggler
}
guard_is_out_of_reach() {
    local guardian
    guardian=$(pgrep --parent "$program" --exact wt-guard) || return
    kill -0 "$guardian" && ! setpriv --reuid=64613 --regid=64613 --clear-groups kill -CONT "$guardian" 2>/dev/null
}
no_record() { ! compgen -G '/run/wifi-toggler/*.@(intent|settling)' >/dev/null; }

# toggler ARGUMENT...: runs the program until it ends. Sets `status` and `took` (in ms), and keeps the output for the
# expectations.
toggler() { toggler_starts "$@"; toggler_ends 60; }

# toggler_starts ARGUMENT...: starts the program in the background. A shell makes its background jobs ignore SIGINT,
# which the program must not inherit.
toggler_starts() {
    command_line="wifi-toggler $*" started=$(milliseconds)
    recorded "$1"
    env --default-signal "$WIFI_TOGGLER" "$@" "${recording[@]}" \
        >"$scratch/program.out" 2>"$scratch/program.err" </dev/null &
    program=$!
}
program_has_ended() { ! kill -0 "$program" 2>/dev/null; }

# toggler_ends SECONDS: waits until the program has ended.
toggler_ends() {
    within "$1" "$command_line ends" program_has_ended
    status=0
    wait "$program" || status=$?
    took=$(($(milliseconds) - started))
    tell "$command_line: status $status after $took ms"
    sed 's/^/          | /' "$scratch/program.out" "$scratch/program.err"
}

# recorded COMMAND: sets `recording` to the options that record the program's trace in a file of its own, and `trace` to
# that file. Sets neither for a command that makes no decisions.
recordings=0
recorded() {
    recording=()
    case $1 in
    run | toggle | reconnect | probe)
        recordings=$((recordings + 1))
        printf -v trace '%s/%03d.trace' "$scratch" $recordings
        recording=(--record "$trace")
        ;;
    esac
}

# Replays the trace of each program at the end of a scenario, and expects the same decisions.
replay_all() {
    # A run that was refused at once has written no trace.
    compgen -G "$scratch/[0-9]*.trace" >/dev/null || return 0
    cat "$scratch"/[0-9]*.trace >"$scratch/all.trace"
    replays "$scratch/all.trace" "$TRACE.trace"
}

# replays TRACE COPY: expects that a replay of the trace makes the recorded decisions, and copies the trace to COPY,
# where `run --traces` finds it.
replays() {
    "$WIFI_TOGGLER" replay "$1" >"$scratch/replay.log" 2>&1 ||
        fail "the trace is decided the same again" "$(tail -n 40 "$scratch/replay.log")"
    cp "$1" "$2"
}

expect_status() { [[ $status == "$1" ]] || fail "$command_line ends with status $1" "status $status"; }

expect_silence() {
    [[ ! -s $scratch/program.out && ! -s $scratch/program.err ]] ||
        fail "$command_line prints nothing" "$(cat "$scratch/program.out" "$scratch/program.err")"
}

# program_said TIMES REGEX: whether the program has printed at least this many matching lines so far.
program_said() { (($(cat "$scratch"/program.{out,err} | grep -Eic -- "$2" || :) >= $1)); }

says() { grep -Eiq -- "$1" "$scratch/program.out" "$scratch/program.err"; }
expect_says() { says "$1" || fail "$command_line says '$1'" "$(cat "$scratch/program.out" "$scratch/program.err")"; }

# expect_json CONDITION: expects that every line on standard output is JSON, and that one of the objects meets the
# condition, in jq's language.
expect_json() {
    jq --slurp --exit-status "any(.[]; $1)" "$scratch/program.out" >/dev/null 2>"$scratch/jq.log" ||
        fail "JSON with $1" "$(cat "$scratch/program.out")"
}
