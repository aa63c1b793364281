# A device that lost its interface is reset, but not if a user removed the interface. (up to 900 s) (on day 1 of 8)
. "$LAB/hung.sh"
trap 'rmmod hung 2>/dev/null || :' EXIT
foreign=198.51.100.0/24
device=$(realpath "/sys/class/net/$station/device")
function=${device##*/} drivers=/sys/bus/pci/drivers/hung
limiter=/var/lib/wifi-toggler/$station.limiter
is_there() { [[ -e /sys/class/net/$station ]]; }
is_gone() { ! is_there; }
is_unbound() { [[ ! -e $device/driver ]]; }
has_route() { [[ $(ip route show $foreign dev $station) && $(ip -4 address show dev $station) == *"$station_address"* ]]; }
said() { cat "$scratch"/program.{out,err}; }
watched() {
    toggler_starts run --verbose --method auto --interval 4s --fall 2 --recheck 2s --settle 40s --backoff 1s \
        --budget 20 --grace 0 --probe none "$@" $station
    within 20 "the link is healthy" program_said 1 "$station: healthy"
}
# resets_are COUNT: expects this many resets so far.
resets_are() { (($(said | grep -c 'resetting the device' || :) == $1)) || fail "$1 resets" "$(said)"; }
# stays_gone: expects that the program has looked for the device twice, and does nothing to it.
stays_gone() {
    within $time_limit "the interface is gone" is_gone
    # The program looks for the device every 15 seconds, and does not say so.
    sleep 40
    is_gone || fail "the interface is still gone" "$(said)"
    resets_are 0
}
# returns COUNT: waits until the interface is there again and associated, and the program has found it healthy this many
# times.
returns() {
    within $time_limit "the interface is there" is_there
    ip link set $station up
    association
    static_address
    ip route replace $foreign dev $station
    within 60 "the program watches it again" program_said "$1" "$station: healthy"
}
# is_reset COUNT EVIDENCE: expects that the device is reset, and that the link is as it was before.
is_reset() {
    within $time_limit "the interface is gone" is_gone
    within 60 "the device is reset" program_said "$1" 'resetting the device on its bus: the interface is gone'
    says "$2" || fail "the evidence: $2" "$(said)"
    within 60 "it is healthy again" program_said "$1" 'back .* after the raise: healthy'
    resets_are "$1"
    associated || fail "the link is associated again"
    within $time_limit "its address and its route are back" has_route
    # The program records the address and the route in its baseline within two seconds.
    sleep 5
}

supplicant
association
static_address
ip route replace $foreign dev $station
watched --delay 500ms

tell "a user deletes the interface: it stays away"
iw dev $station del
stays_gone
echo "$function" >$drivers/unbind
echo "$function" >$drivers/bind
returns 2

tell "a user unloads the driver: it stays away"
rmmod hung
stays_gone
driver hung
returns 3

tell "a hold postpones the reset"
sleep 5
env "$WIFI_TOGGLER" hold 1h $station
knob losses 1
stays_gone
env "$WIFI_TOGGLER" hold 0
is_reset 1 'is bound to the device, which has no interface'

tell "the driver releases its device: it is reset"
echo "$function" >$drivers/unbind
is_reset 2 'is not bound to the device any more'

tell "the PCI function is removed: its bus is scanned"
echo 1 >"$device/remove"
is_reset 3 'the device is gone, although its bus is there'

tell "three resets a day are enough"
knob losses 1
within $time_limit "the interface is gone" is_gone
sleep 40
resets_are 3
kill -TERM "$program"
toggler_ends 20
expect_status 0
echo "$function" >$drivers/unbind
echo "$function" >$drivers/bind
within $time_limit "the interface is there" is_there

# killed SENTENCE CONDITION...: the device loses its interface, and the service is killed when the condition holds.
killed() {
    local sentence=$1
    shift
    sed -i '/^restarted /d' "$limiter"
    ip link set $station up
    association
    # The guard may have restored the address and the route.
    ip address replace $station_address/24 dev $station
    ip route replace $foreign dev $station
    watched --delay 5s
    sleep 5
    knob losses 1
    within $time_limit "the interface is gone" is_gone
    within 60 "$sentence" "$@"
}
guard_restores() {
    within 60 "the interface is back" is_there
    within 20 "with its address and its route" has_route
    within 20 "the record is gone" no_record
}

killed "the driver is unbound" is_unbound
kill -KILL "$program"
wait "$program" 2>/dev/null || :
guard_restores

killed "the interface has come back" is_there
kill -KILL "$program"
wait "$program" 2>/dev/null || :
guard_restores

killed "the driver is unbound" is_unbound
guardian=$(pgrep --parent "$program" --exact wt-guard)
# A stopped process cannot notice the death of the other.
kill -STOP "$program" "$guardian"
kill -KILL "$program" "$guardian"
wait "$program" 2>/dev/null || :
is_gone || fail "nobody has given the device back"
toggler repair $station
expect_status 0
guard_restores

kernel_was_quiet

tell "the history says why"
toggler history --json $station
expect_status 0
resets=$(jq -r 'select(.kind == "bounce" and .methods == ["reset"]) | .cause' "$scratch/program.out")
[[ $resets == *'sick at layer radio: the interface is gone'* ]] ||
    fail "the history has the reset, and its cause" "$(<"$scratch/program.out")"
