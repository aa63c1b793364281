# The device of the radio has lost its interface. (up to 1800 s)
. "$LAB/outages.sh"
. "$LAB/hung.sh"
. "$LAB/outages-hung.sh"
fault() {
    # The service records the address in its baseline within two seconds.
    sleeps 5
    counts
    knob losses 1
}
heal() { is_back || revive; }
outage "the device has lost its interface"
