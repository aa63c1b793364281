# The address of the lease has been removed, and nobody has told NetworkManager. (up to 1500 s)
. "$LAB/matrix.sh"
. "$LAB/outages.sh"
fault() {
    counts
    ip -4 address flush dev $station
    within $time_limit "nothing comes back" is_away
}
heal() {
    is_back && return
    nmcli device disconnect $station >/dev/null || :
    nm_rejoins || nm_rejoins
}
# NetworkManager renews its lease after half of that time, and then has the address again.
lease=10m
set_up() { set_up_without_ipv6; }
beside networkmanager
outage "the address is lost"
