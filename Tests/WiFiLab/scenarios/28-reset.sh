# The method reset resets a PCI card and a USB device of the guest, also with SIGKILL in each step. (up to 500 s) (on day 4 of 8)
modprobe e1000e
modprobe xhci_pci
modprobe cdc_ether
# The drivers are removed at the end, so that the cards' names and routes do not disturb later scenarios.
trap 'modprobe -r e1000e cdc_ether virtio_net' EXIT
interface_of() { basename "$(compgen -G "/sys/bus/$1/drivers/$2/*/net/*" | head -n 1)"; }
index_of() { cat "/sys/class/net/$1/ifindex"; }
is_there() { [[ -d /sys/class/net/$card ]]; }
is_gone() { ! is_there; }
has_driver() { compgen -G "/sys/bus/$1/drivers/$2/*/net/*" >/dev/null; }
card_is_up() { [[ $(ip link show dev "$card" 2>/dev/null) == *[\<,]UP[,\>]* ]]; }
card_is_set_up() {
    card_is_up && [[ $(ip route show 198.51.100.0/24 dev "$card") && $(ip -4 address show dev "$card") ]]
}
set_up() {
    ip link set "$card" up
    ip address replace "$network.2/24" dev "$card"
    ip route replace 198.51.100.0/24 via "$network.1" dev "$card"
}
reads() { local line; read -r line <"$1" && [[ $line == "$2" ]]; } 2>/dev/null
absent() { [[ ! -e $1 ]]; }

# killed_when SENTENCE CONDITION...: kills the program as soon as the condition holds. The guard must bring the card
# back.
killed_when() {
    local sentence=$1
    shift
    until "$@"; do
        ! program_has_ended || fail "the program runs until $sentence" "$(cat "$scratch/program.err")"
    done
    kill -KILL "$program"
    tell "the program is killed when: $sentence"
    within 30 "the card is back" is_there
    within 10 "with all that was on it" card_is_set_up
    within 10 "the record is gone" no_record
}
resets() { toggler_starts toggle --any-interface --method reset --probe none --settle 10s "$@" "$card"; }

# tried BUS: makes the tests that are the same on each bus.
tried() {
    tell "$1: the card is back with a new index, its address and its route"
    before=$(index_of "$card")
    toggler toggle --any-interface --method reset --delay 1s --settle 10s --probe none --json "$card"
    expect_status 0
    expect_json '.action == "bounced" and .methods == ["reset"] and .down_ms >= 1000 and (.restored | length) >= 2'
    [[ $(index_of "$card") != "$before" ]] || fail "the interface was made anew"
    card_is_set_up || fail "address and route are back"

    tell "$1: the service resets the card and watches the new interface"
    before=$(index_of "$card")
    toggler_starts run --any-interface --force --method reset --interval 1h --delay 1s --settle 10s --probe none "$card"
    within 60 "it has bounced the card" program_said 1 'after the raise: healthy'
    [[ $(index_of "$card") != "$before" ]] || fail "the interface was made anew"
    card_is_set_up || fail "address and route are back"
    kill -TERM "$program"
    toggler_ends 20
    expect_status 0

    tell "$1: the program is killed while the card is away, and when it is back"
    resets --delay 30s
    killed_when "it is away" is_gone
    resets --delay 500ms
    within 15 "it is away" is_gone
    killed_when "it has come back" is_there

    tell "$1: the program is killed at any moment, and its guard restores the card"
    local moment
    for moment in 3 6 9 12 15 18; do
        resets --delay 200ms
        for ((; moment; moment--)); do pause; done
        kill -KILL "$program" 2>/dev/null || :
        wait "$program" 2>/dev/null || :
        within 30 "the card is back" is_there
        within 10 "with all that was on it" card_is_set_up
        within 10 "the record is gone" no_record
    done

    tell "$1: the program and its guard are killed, and repair restores the card"
    resets --delay 30s
    within 15 "it is away" is_gone
    local guardian
    guardian=$(pgrep --parent "$program" --exact wt-guard)
    # A stopped process cannot notice the death of the other.
    kill -STOP "$program" "$guardian"
    kill -KILL "$program" "$guardian"
    wait "$program" 2>/dev/null || :
    is_gone || fail "nobody has given the card back"
    toggler repair "$card"
    expect_status 0
    within 15 "with all that was on it" card_is_set_up
    no_record || fail "the record is gone"
}

within $time_limit "the PCI card is there" has_driver pci e1000e
card=$(interface_of pci e1000e) network=10.78.1
device=/sys/bus/pci/devices/$(basename "$(realpath "/sys/class/net/$card/device")")
set_up
tried pci

# `driver_override` keeps the driver from binding to the present device object only. After the scan of the bus, the
# function has a new object.
tell "pci: if the interface does not come back, the function is removed and the bus scanned"
resets --delay 5s
within 15 "it is away" is_gone
echo nobody >"$device/driver_override"
toggler_ends 60
expect_status 0
card_is_set_up || fail "address and route are back"

tell "pci: the program is killed while the function is removed"
resets --delay 5s
within 15 "it is away" is_gone
echo nobody >"$device/driver_override"
killed_when "it is removed" absent "$device"

within $time_limit "the USB device is there" has_driver usb cdc_ether
card=$(interface_of usb cdc_ether) network=10.78.2
device=$(realpath "/sys/class/net/$card/device/..")
port=$(realpath "$device/port")
set_up
tried usb

# Stops the kernel from binding drivers to functions that appear.
keep_off() {
    echo 0 >/sys/bus/usb/drivers_autoprobe
    within 20 "it is authorized" reads "$device/authorized" 1
    echo 1 >/sys/bus/usb/drivers_autoprobe
}
# With Linux 6.12, the xHCI of QEMU 7.2 never answers the command by which the kernel gives a device a slot after its port
# was switched on again (Enable Slot; seen with and without runtime power management). The kernel then holds the hub's
# lock for ever.
if [[ $(uname -r) != 6.1.* ]]; then
    tell "usb: the harder step is not tried with this kernel in QEMU"
else
    tell "usb: if the interface does not come back, its port is switched off and on"
    resets --delay 5s
    within 15 "it is away" is_gone
    keep_off
    toggler_ends 60
    expect_status 0
    card_is_set_up || fail "address and route are back"

    tell "usb: the program is killed while the port is off, and its guard switches it on"
    beside_service
    resets --delay 5s
    within 15 "it is away" is_gone
    guard_is_out_of_reach || fail "the service's user cannot signal the guard"
    keep_off
    killed_when "the port is off" reads "$port/disable" 1
fi

tell "a device on an unsupported bus is refused"
modprobe virtio_net
within $time_limit "the virtual card is there" has_driver virtio virtio_net
card=$(interface_of virtio virtio_net) network=10.78.3
set_up
toggler toggle --any-interface --method reset --probe none "$card"
expect_status 69
expect_says 'the interface has no device on USB, PCI or SDIO'
