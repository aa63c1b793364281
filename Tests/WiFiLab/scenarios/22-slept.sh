# The machine is suspended in a wait and in a bounce: an overdue check or raise is done at once after the resume.
access_point
static_station
rmmod slumber 2>/dev/null || :
insmod "${WIFI_TOGGLER_ROOT:-$LAB_CACHE}/drivers/slumber.ko"

# Sets the clocks as after a resume: CLOCK_BOOTTIME, which `milliseconds` prints, has continued; CLOCK_MONOTONIC has
# not.
sleeps() {
    local began
    began=$(milliseconds)
    echo "$1" >/sys/module/slumber/parameters/sleep
    (($(milliseconds) - began >= $1 * 1000)) || fail "the clocks say that $1 s have gone" "$(($(milliseconds) - began)) ms"
    tell "the machine was suspended for $1 s"
}
cycles() { grep -c '→ checking' "$scratch/program.err" || :; }
has_cycled() { (($(cycles) >= $1)); }

toggler_starts run --verbose --interval 10m $station
within 15 "the service looks after $station" program_said 1 "$station: healthy"
looks=$(cycles)
sleeps 300
sleep 2
[[ $(cycles) == "$looks" ]] || fail "no look is due yet" "$(cycles)"
sleeps 301
within 5 "a look was due, and comes at once" has_cycled $((looks + 1))
sleep 2
[[ $(cycles) == $((looks + 1)) ]] || fail "one look, not one for each that was missed" "$(cycles)"
kill -TERM "$program"
toggler_ends 10
expect_status 0
grep -q '"event":{"resumed":' "$trace" || fail "the service was told of the sleep"

tell "the machine is suspended while the link is kept down"
toggler_starts run --verbose --force --interval 1h --delay 60s $station
within 15 "the link is kept down" program_said 1 '→ keeping down'
sleeps 61
within 5 "the link is up again" is_up
association
default_route
pings
kill -TERM "$program"
toggler_ends 10
expect_status 0
