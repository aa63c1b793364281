# The firmware of the radio hangs, so that the radio refuses all scans. (up to 1800 s)
# The driver of the lab (hung.c) carries no packets. So the outage is over when the station is associated and has its
# address again, and the service has no gateway to probe.
. "$LAB/outages.sh"
. "$LAB/hung.sh"
trap 'rmmod hung' EXIT
settings+=(--probe none)
fault() {
    counts
    radio_hangs
}
is_back() { associated && [[ $(ip -4 address show dev $station 2>/dev/null) == *"$station_address"* ]]; }
# Let the firmware work again, as after a reset.
heal() {
    is_back && return
    knob refusals 0
    wpa_cli -i $station scan >/dev/null || :
    association
    ip address replace $station_address/24 dev $station
}
supplicant
association
static_address
outage "the radio refuses"
