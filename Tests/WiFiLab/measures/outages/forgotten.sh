# The access point has forgotten the station, and does not tell it. (up to 1500 s)
. "$LAB/matrix.sh"
. "$LAB/outages.sh"
fault() {
    counts
    access_point_forgets_station
    within $time_limit "nothing comes back" is_away
}
heal() {
    is_back && return
    nmcli device disconnect $station >/dev/null || :
    nm_rejoins || nm_rejoins
}
beside networkmanager
outage "the access point has forgotten the station"
