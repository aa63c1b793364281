# After a suspend, overdue steps follow at once; a disconnect before it is no user's. (up to 240 s) (on day 0 of 4)
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
within 15 "the service watches $station" program_said 1 "$station: healthy"
checks=$(cycles)
sleeps 300
sleep 2
[[ $(cycles) == "$checks" ]] || fail "no check is due yet" "$(cycles)"
sleeps 301
within 15 "a check was due, and comes at once" has_cycled $((checks + 1))
sleep 2
[[ $(cycles) == $((checks + 1)) ]] || fail "one check, not one for each that was missed" "$(cycles)"
kill -TERM "$program"
toggler_ends 10
expect_status 0
grep -q '"event":{"resumed":' "$trace" || fail "the service was told of the sleep"

tell "the machine is suspended while the link is kept down"
toggler_starts run --verbose --force --interval 1h --delay 60s $station
within 15 "the link is kept down" program_said 1 '→ keeping down'
sleeps 61
within 15 "the link is up again" is_up
association
default_route
pings
kill -TERM "$program"
toggler_ends 10
expect_status 0

# Ends the association. After this no program joins the network, and the supplicant does not even join after a bounce.
leaves() { wpa_cli -i $station disconnect >/dev/null && disassociation; }
starts() { toggler_starts run --verbose --interval 60s --fall 2 --recheck 1s --delay 500ms --settle 10s --grace 0 $station; }

tell "a user disconnects the station long before the suspend"
starts
within 20 "the service is content" program_said 1 "$station: healthy"
mark
leaves
sleep 12
sleeps 300
within 30 "the service says that this machine left by itself" program_said 1 'of this machine left the network'
kill -USR1 "$program"
sleep 5
[[ ! $(changes) ]] || fail "no bounce" "$(changes)"
not_associated || fail "the link stays as the user left it"
kill -TERM "$program"
toggler_ends 10
expect_status 0
wpa_cli -i $station reconnect >/dev/null
within 30 "the station is back" operational

tell "the owner disconnects the station right before the suspend, and does not connect it afterwards"
starts
within 20 "the service is content" program_said 1 "$station: healthy"
leaves
sleeps 300
within 60 "the link is bounced" program_said 1 'bouncing the link'
kill -TERM "$program"
toggler_ends 30
expect_status 0
wpa_cli -i $station reconnect >/dev/null
within 60 "the station is back" operational
pings
