# NetworkManager has given up after the access point had another key. (up to 1500 s)
. "$LAB/matrix.sh"
. "$LAB/outages.sh"
# The access point has the other key for longer than NetworkManager tries.
fault() {
    access_point_dies
    key_changes
    access_point
    sleeps 90
    access_point_dies
    key_returns
    access_point
    counts
}
heal() { says_so || nm_rejoins || nm_rejoins; }
beside networkmanager
outage "NetworkManager has given up"
