# The firmware of the radio hangs, so that the radio refuses all scans. (up to 1800 s)
. "$LAB/outages.sh"
. "$LAB/hung.sh"
. "$LAB/outages-hung.sh"
fault() {
    counts
    radio_hangs
}
# Let the firmware work again, as after a reset.
heal() {
    is_back && return
    knob refusals 0
    wpa_cli -i $station scan >/dev/null || :
    joins
}
outage "the radio refuses"
