# wpa_supplicant hangs while the access point restarts. (up to 1500 s)
. "$LAB/machine.sh"
. "$LAB/outages-machine.sh"
fault() {
    machine kill -STOP "$(main_process "$unit")"
    access_point_dies
    disassociation
    access_point
    counts
}
managed_network
machine_with_station
outage "wpa_supplicant hangs"
