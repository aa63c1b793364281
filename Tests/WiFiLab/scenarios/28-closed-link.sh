# run resets a device whose link the kernel closed, but not after a user's down or a block. (up to 400 s) (on day 6 of 8)
. "$LAB/hung.sh"
trap 'rmmod hung' EXIT
foreign=198.51.100.0/24
said() { cat "$scratch"/program.{out,err}; }
is_recorded() { (($(recorded_crashes) == 1)) || fail "one record" "$(ls /sys/class/devcoredump/)"; }
# acts_are COUNT: expects that the program has acted this many times so far.
acts_are() { (($(said | grep -Ec 'resetting the device|bouncing the link' || :) == $1)) || fail "$1 acts" "$(said)"; }
has_route() { [[ $(ip route show $foreign dev $station) ]]; }
# stays_down COUNT: sets the link down as a user, and expects that the program does not act in the next five checks.
stays_down() {
    local let_be='no bounce: the link is administratively down' seen
    seen=$(said | grep -c "$let_be" || :)
    ip link set $station down
    within 90 "five checks have found it down" program_said $((seen + 5)) "$let_be"
    is_down || fail "the link is down" "$(said)"
    acts_are "$1"
}
# is_reset COUNT RAISES: expects that the program resets the device, for the COUNTth time, and that nothing is lost.
# RAISES: how often it has raised the link then, by this or in another way.
is_reset() {
    within $time_limit "the kernel has set it down" is_down
    within 60 "it is reset" program_said "$1" 'resetting the device on its bus: the kernel itself set the link down'
    within 60 "it is healthy again" program_said "$2" 'back .* after the raise: healthy'
    acts_are "$1"
    [[ $(index) != "$before" ]] || fail "the interface was made anew"
    associated || fail "the link is associated again"
    [[ $(ip -4 address show dev $station) == *"$station_address"* ]] || fail "its address is back"
    within $time_limit "the route of the administrator is back" has_route
}
# joins_again COUNT: sets the link up, and waits until the program has found it healthy this many times.
joins_again() {
    ip link set $station up
    association
    ip route replace $foreign dev $station
    within 30 "the link is healthy again" program_said "$1" "$station: healthy"
}

supplicant
association
static_address
ip route replace $foreign dev $station
toggler_starts run --verbose --method auto --interval 4s --fall 2 --recheck 2s --delay 500ms --settle 40s --backoff 1s \
    --budget 20 --grace 0 --probe none $station
within 20 "the link is healthy" program_said 1 "$station: healthy"

tell "a user sets the link down: it stays down"
stays_down 0
joins_again 2

tell "the kernel sets the link down after a crash: the device is reset, and the link raised"
before=$(index)
# The program records the new route in its baseline within two seconds.
sleep 5
knob restart_fails 1
knob crashes 1
is_recorded
is_reset 1 1

# The kernel removes a record of a crash after five minutes. On a slow guest this time may be over.
if none_recorded; then
    tell "the record is gone already: a user's down beside it is not tried"
else
    tell "a user sets the link down while that record is there: it stays down"
fi
stays_down 1
joins_again 3

tell "the driver survives a crash, and then a user sets the link down: it stays down"
knob restart_fails 0
forget_crash
knob crashes 2
is_recorded
stays_down 1
joins_again 4

tell "a short rfkill block takes the link down: it is raised, and the device is not reset"
rfkill block "$(rfkill_of $station)"
rfkill unblock "$(rfkill_of $station)"
within $time_limit "the kernel has set it down" is_down
within 60 "it is raised" program_said 1 'an rfkill block took the link down, and no program raised it'
within 60 "it is healthy again" program_said 2 'back .* after the raise: healthy'
acts_are 1

tell "the kernel sets the link down without a record of a crash: the device is reset, too"
forget_crash
ip route replace $foreign dev $station
before=$(index)
# The program records the new route in its baseline within two seconds.
sleep 5
knob closes 1
is_reset 2 3
none_recorded || fail "no crash is recorded" "$(ls /sys/class/devcoredump/)"

kill -TERM "$program"
toggler_ends 20
expect_status 0
kernel_was_quiet

tell "the history says why"
toggler history --json $station
expect_json '.kind == "bounce" and .methods == ["reset"] and (.cause | contains("the kernel itself")) and any(.evidence[]; .probe == "driver")'
