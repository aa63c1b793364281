# For a service that may not write to /sys, a unit resets a device without interface. (up to 900 s) (on day 0 of 8)
. "$LAB/reset-unit.sh"
packaged_service "$WIFI_TOGGLER_PACKAGE"
device=$(realpath "/sys/class/net/$station/device")
function=${device##*/} drivers=/sys/bus/pci/drivers/hung
is_unbound() { [[ ! -e $device/driver ]]; }
resets() { tail -n "+$((journal_before + 1))" "$scratch/journal.log" | grep -c 'resetting the device' || :; }
# is_lost: the driver gives up the interface.
is_lost() {
    before=$(index)
    knob losses 1
    within $time_limit "the interface is gone" is_gone
}
# is_back: expects that the interface is back with its address and route, and that no record is left.
is_back() {
    within 120 "the interface is back" has_changed
    within 60 "it is healthy again" helped
    within $time_limit "its address and its route are back" has_all
    within 60 "no record is left" no_records
    # The service records the address and the route in its baseline within two seconds.
    sleep 5
}
# stays_gone: expects that the service has looked for the device twice, and does nothing to it.
stays_gone() {
    within $time_limit "the interface is gone" is_gone
    # The service looks for the device every 15 seconds, and does not say so.
    sleep 40
    is_gone || fail "the interface is still gone"
    (($(resets) == 0)) || fail "nothing is reset"
}
# returns: waits until the interface is there again and associated, and the service watches it.
returns() {
    within $time_limit "the interface is there" is_there
    ip link set "$station" up
    association
    static_address
    ip route replace $foreign dev "$station"
    starts_afresh
}

tell "the unit is masked: doctor says so, and nothing is done"
machine systemctl --quiet mask 'wifi-toggler-reset@.service'
[[ $(findings) == may-not-reset ]] || fail "doctor says that it may not reset" "$(<"$scratch/program.out")"
journal_mark
is_lost
stays_gone
machine systemctl --quiet unmask 'wifi-toggler-reset@.service'

tell "the unit is there: it resets the device, and the service restores what the link had"
within 60 "it is reset" journal_says 'resetting the device on its bus: the interface is gone.* is bound to the device, which has no interface'
is_back
[[ $(reset_says SubState) == exited && $(reset_says Result) == success ]] || fail "the unit has done it" "$(reset_says Result)"

tell "the driver releases the device: the unit binds it again"
journal_mark
before=$(index)
echo "$function" >$drivers/unbind
within 60 "it is reset" journal_says 'resetting the device on its bus: the interface is gone.* is not bound to the device any more'
is_back

tell "a user deletes the interface: it stays away"
journal_mark
iw dev "$station" del
stays_gone
echo "$function" >$drivers/unbind
echo "$function" >$drivers/bind
returns

tell "a user unloads the driver: it stays away"
rmmod hung
stays_gone

tell "a record that names another device: the unit does not touch it"
machine systemctl stop wifi-toggler
disk=$(basename "$(dirname "$(realpath /sys/bus/virtio/devices/virtio0)")")
# forged BUS DRIVER DEVICE: starts the unit with a service's record that names this device, and expects that it fails.
forged() {
    printf '%s\n' 'wifi-toggler-intent 1' "boot $(</proc/sys/kernel/random/boot_id)" "namespace $namespace" \
        "interface 7 - $station" 'down 0' 'settle 0' 'restore no' "reset-unit $*" end >/run/scenario/forged
    machine install --owner=wifi-toggler --group=wifi-toggler --mode=644 /run/scenario/forged "/run/wifi-toggler/$station.intent"
    journal_mark
    machine systemctl reset-failed "$unit" 2>/dev/null || :
    ! machine systemctl restart "$unit" 2>/dev/null || fail "the unit refuses $*"
}
namespace=$(stat --dereference --format=%d:%i /proc/self/ns/net)
forged pci virtio-pci "$disk"
within $time_limit "it says why" journal_says 'the driver virtio-pci on pci is not a module that depends on cfg80211'
driver hung
within $time_limit "the interface is there" is_there
knob losses 1
within $time_limit "the interface is gone" is_gone
forged pci hung "$disk"
within $time_limit "it says why" journal_says "the device $disk of the driver hung on pci has not lost an interface"
machine rm "/run/wifi-toggler/$station.intent"
! machine systemctl restart "$unit" 2>/dev/null || fail "without a record, the unit does nothing"
is_gone || fail "the device was not reset"
[[ -e $device/driver && -e /sys/bus/pci/devices/$disk/driver ]] || fail "no device was taken away"
echo "$function" >$drivers/unbind
echo "$function" >$drivers/bind
returns
stays_away_longer

tell "the unit is killed while the device is away: its guard gives the device back"
is_lost
within 90 "the device is away" is_unbound
machine kill -KILL "$(reset_says MainPID)"
within 60 "it was killed before it gave the device back" \
    journal_says 'the program died in the middle of a bounce; its guard raised the link'
is_back
[[ $(reset_says Result) == signal ]] || fail "the unit was killed" "$(reset_says Result)"

tell "the unit and its guard are killed: systemd has the device given back"
starts_afresh
is_lost
within 90 "the device is away" is_unbound
machine systemctl kill --signal=KILL --kill-whom=all "$unit"
is_back

tell "the service and its guard are killed while the device is away"
starts_afresh
process=$(unit_says MainPID)
is_lost
within 90 "the device is away" is_unbound
machine systemctl kill --signal=KILL --kill-whom=all wifi-toggler
within 120 "the interface is back" has_changed
within 60 "with its address and its route" has_all
within 60 "no record is left" no_records
within 60 "another service is there" another_runs
[[ $(reset_says Result) == success ]] || fail "the unit was not disturbed" "$(reset_says Result)"

performs "the service stops" systemctl stop wifi-toggler
