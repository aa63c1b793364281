# A link that its driver refuses to set up after a bounce: the device is reset, also if the program is killed. (up to 400 s) (on day 0 of 8)
. "$LAB/hung.sh"
trap 'rmmod hung' EXIT
foreign=198.51.100.0/24
is_there() { [[ -e /sys/class/net/$station ]]; }
is_gone() { ! is_there; }
has_all() {
    is_up && associated && [[ $(ip -4 address show dev $station) == *"$station_address"* && $(ip route show $foreign dev $station) ]]
} 2>/dev/null
no_guard() { ! pgrep wt-guard >/dev/null; }
watched() {
    toggler_starts run --verbose --interval 4s --fall 2 --recheck 2s --settle 20s --backoff 1s --budget 20 --grace 0 \
        --probe none "$@" $station
    within 20 "the link is healthy" program_said 1 "$station: healthy"
    # The program records the address and the route in its baseline within two seconds.
    sleep 5
}
# dies_in_bounce: the station leaves its network, so that the link is bounced, and the firmware does not survive that.
dies_in_bounce() {
    before=$(index)
    knob last_stops 1
    knob in_range 0
    disassociation
    within 90 "the raise is refused" program_said 1 'could not raise the link: Input/output error, trying again'
    is_down || program_said 1 'resetting the device' || fail "the link is down"
    knob in_range 1
}
# forgets_resets: the steps of this scenario make more resets than the service makes in a day.
forgets_resets() { sed -i '/^restarted /d' /var/lib/wifi-toggler/$station.limiter; }

supplicant
association
static_address
ip route replace $foreign dev $station
supplicant_is_slow

watched --delay 500ms
dies_in_bounce
within 30 "the device is reset" program_said 1 'bounce: could not raise the link: Input/output error; resetting the device'
within 60 "it is healthy again" program_said 1 'back .* after the raise: healthy'
has_all || fail "its address and its route are back" "$(ip route show dev $station)"
[[ $(index) != "$before" ]] || fail "the interface was made anew"
within 10 "the guards have ended" no_guard
no_record || fail "no record is left"
kill -TERM "$program"
toggler_ends 20
expect_status 0
toggler history --json $station
expect_json '.kind == "bounce" and .methods[-2:] == ["bounce", "reset"] and .verdict == "healthy" and .down_ms >= 4000'

# EIO, EAGAIN, EBUSY and ENOBUFS.
for error in 5 11 16 105; do
    tell "a one-shot resets the device as well, if the error is $error"
    knob open_errno $error
    knob last_stops 1
    before=$(index)
    toggler toggle --delay 500ms --settle 30s --probe none --json $station
    expect_status 0
    expect_json '.action == "bounced" and .methods == ["bounce", "reset"] and .down_ms >= 4000'
    has_all || fail "its address and its route are back" "$(ip route show dev $station)"
    [[ $(index) != "$before" ]] || fail "the interface was made anew"
    no_guard || fail "its guards have ended"
done
knob open_errno 5

tell "the program is killed while the device is away: its guard gives the device back"
watched --delay 20s
dies_in_bounce
within 60 "the device is away" is_gone
kill -KILL "$program"
is_gone || fail "the device is still away"
toggler_ends 20
within 60 "the interface is back, with its address and its route" has_all
[[ $(index) != "$before" ]] || fail "the interface was made anew"
within 20 "the guard has ended" no_guard
no_record || fail "no record is left"

tell "the program and its guard are killed while the device is away: repair reads the record of the reset"
forgets_resets
watched --delay 20s
dies_in_bounce
within 60 "the device is away" is_gone
guards=$(pgrep --parent "$program" --exact wt-guard)
[[ $guards =~ ^[0-9]+$ ]] || fail "it has one guard" "$guards"
grep -q '^reset ' "/run/wifi-toggler/$station.intent" || fail "the record is that of the reset"
# A stopped process cannot notice the death of the other.
kill -STOP "$program" "$guards"
kill -KILL "$program" "$guards"
toggler_ends 20
toggler repair "$station"
expect_status 0
within 60 "the interface is back, with its address and its route" has_all
no_record || fail "no record is left"

tell "where a rule forbids the reset, the program goes on trying"
forgets_resets
mkdir -p /etc/wifi-toggler
printf '%s\n' '[hung pci]' 'forbid = reset' >/etc/wifi-toggler/drivers.conf
watched --delay 500ms
dies_in_bounce
within 30 "it says why" program_said 1 'reset: .*drivers.conf:1 forbids it for the driver hung'
is_down || fail "the link is down"
[[ $(index) == "$before" ]] || fail "the interface is the same"
(($(pgrep -c wt-guard) == 1)) || fail "it has one guard"
rm /etc/wifi-toggler/drivers.conf
kill -TERM "$program"
toggler_ends 60
expect_status 71
device=$(realpath "/sys/class/net/$station/device")
echo "${device##*/}" >/sys/bus/pci/drivers/hung/unbind
within 60 "its guard ends with the interface" no_guard
no_record || fail "no record is left"

kernel_was_quiet
