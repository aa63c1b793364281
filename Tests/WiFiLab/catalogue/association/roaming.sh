# roaming to another access point of the network, and back
layer=association?
roam() {
    wpa_cli -i $station roam "$1" >/dev/null
    within 15 "$station has roamed" joined "$1"
}
# The kernel refuses a scan while another one is under way, and on a busy machine a scan may miss an access point. So
# scan again each time.
in_sight() {
    wpa_cli -i $station scan_results | finds "$1" && return
    wpa_cli -i $station scan >/dev/null
    return 1
}
prepare() {
    second_access_point
    other=$(in_access_point cat /sys/class/net/$second_access_point/address)
    first=$(in_access_point cat /sys/class/net/wlan0/address)
    within $time_limit "$station sees the other" in_sight "$other"
}
inject() { roam "$other"; }
heal() { roam "$first"; }
tidy() { second_ends; }
