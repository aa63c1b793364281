# A USB network device is unplugged and plugged in again, also while it is reset. (up to 300 s) (on day 5 of 8)
modprobe xhci_pci
modprobe cdc_ether
trap 'modprobe -r cdc_ether' EXIT
# hardware COMMAND: QEMU's monitor carries out this command (`boot`).
hardware() {
    echo "$1" >"$HARDWARE.new"
    mv "$HARDWARE.new" "$HARDWARE"
    within 30 "QEMU has read: $1" was_read
}
was_read() { [[ ! -e $HARDWARE ]]; }
unplug() { hardware 'device_del dongle'; }
plug_in() { hardware 'device_add usb-net,id=dongle,bus=hub.0'; }
card() { basename "$(compgen -G '/sys/bus/usb/drivers/cdc_ether/*/net/*' | head -n 1)"; }
is_there() { [[ $(card) ]]; }
is_gone() { ! is_there; }
# has_no_device: whether no device is plugged in: only the two hubs of the controller are on the bus.
has_no_device() { ! compgen -G '/sys/bus/usb/devices/*-*:*' | grep -v -- '-0:' >/dev/null; }
is_unbound() { ! compgen -G '/sys/bus/usb/drivers/cdc_ether/*:*' >/dev/null; }

# set_up: gives the interface its name, and an address as an administrator does.
set_up() {
    local now
    now=$(card)
    name=${name:-$now}
    [[ $now == "$name" ]] || ip link set "$now" name "$name"
    ip link set "$name" up
    ip address replace 10.78.2.2/24 dev "$name"
}

within $time_limit "the USB device is there" is_there
set_up

tell "the service reports that the interface is gone, waits for it, and watches it again"
toggler_starts run --any-interface --interval 1 --probe none --method bounce,reset "$name"
within 30 "it finds the link healthy" program_said 1 'healthy'
unplug
within 30 "the interface is gone" is_gone
within 30 "the service says so" program_said 1 'the interface is not there; waiting for it to appear'
has_no_device || fail "nothing is plugged in" "$(ls /sys/bus/usb/devices)"
plug_in
within 30 "the interface is back" is_there
set_up
within 60 "the service finds the link healthy again" program_said 2 ': healthy'
! says 'resetting the device' || fail "an unplugged device is not reset" "$(cat "$scratch/program.err")"
kill -TERM "$program"
toggler_ends 20
expect_status 0

tell "a device that is unplugged while it is reset is reported, and nothing is left behind"
toggler_starts toggle --any-interface --method reset --probe none --delay 8s --settle 5s "$name"
within 15 "its driver is taken off" is_unbound
unplug
within 30 "nothing is plugged in" has_no_device
toggler_ends 90
expect_status 69
expect_says 'no such interface'
no_guard() { ! pgrep --exact wt-guard >/dev/null; }
within 60 "no guard is left" no_guard
plug_in
within 30 "the interface is back" is_there
set_up
toggler repair "$name"
expect_status 0
no_record || fail "the record is gone"
toggler probe --any-interface --probe none "$name"
expect_status 0
