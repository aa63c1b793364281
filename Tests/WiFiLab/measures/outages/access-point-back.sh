# The access point is back after it was away for five minutes. (up to 2200 s)
. "$LAB/matrix.sh"
. "$LAB/outages.sh"
# The access point is away for longer than the service bounces the link: after three useless bounces, the service waits
# for an hour.
fault() {
    access_point_dies
    sleeps 300
    access_point
    counts
}
heal() { says_so || nm_rejoins || nm_rejoins; }
beside networkmanager
outage "the access point was away for 300 s"
