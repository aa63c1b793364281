# The firmware of the radio has crashed, and the kernel has set the link down. (up to 1800 s)
. "$LAB/outages.sh"
. "$LAB/hung.sh"
. "$LAB/outages-hung.sh"
fault() {
    forget_crash
    # The service records the address in its baseline within two seconds.
    sleeps 5
    counts
    knob restart_fails 1
    knob crashes 1
}
heal() {
    knob restart_fails 0
    is_back || revive
}
outage "the firmware has crashed"
