# wpa_supplicant is killed, and its unit has failed. (up to 1500 s)
. "$LAB/machine.sh"
. "$LAB/outages-machine.sh"
fault() {
    counts
    machine kill -KILL "$(main_process "$unit")"
    within $time_limit "nothing comes back" is_away
}
managed_network
machine_with_station
outage "wpa_supplicant is dead"
