# Outages of a radio with the driver `hung` (hung.sh), which carries no packets. So an outage is over when the station is
# associated and has its address again, and the service has no gateway to probe. Sets up the link.
# shellcheck shell=bash disable=SC2154 # sourced after outages.sh and hung.sh
trap 'rmmod hung' EXIT
settings+=(--probe none)
is_back() { associated && [[ $(ip -4 address show dev "$station" 2>/dev/null) == *"$station_address"* ]]; }
# joins: brings the link back after a contestant that has not.
joins() {
    ip link set "$station" up
    association
    ip address replace "$station_address/24" dev "$station"
}
# revive: resets the device as its driver needs it, and brings the link back.
revive() {
    echo "${device##*/}" >/sys/bus/pci/drivers/hung/unbind
    echo "${device##*/}" >/sys/bus/pci/drivers/hung/bind
    joins
}
device=$(realpath "/sys/class/net/$station/device")
supplicant
association
static_address
