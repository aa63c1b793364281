# iwd has lost its device, because another interface has taken the place of the one that it had. (up to 1500 s)
. "$LAB/machine.sh"
. "$LAB/outages-machine.sh"
unit=iwd.service
fault() {
    counts
    replace_interface
    within $time_limit "nothing comes back" is_away
}
heal() { restart_owner; }
managed_network
machine_starts
wireless_daemon_files yes
performs "the bus and iwd start" systemctl start dbus iwd
within $((time_limit * 2)) "iwd has made its link" iwd_has_link
pings
outage "iwd has lost its devices"
