# beacons without answers
# The kernel sends the beacons. hostapd, which would answer stations that want to join, is stopped.
layer=association action=bounced bounces=1-2 recovery=90 notice=40 options=(--backoff 30s)
inject() {
    kill -STOP "$(<"$scratch/hostapd.pid")"
    access_point_forgets_station
}
heal() { kill -CONT "$(<"$scratch/hostapd.pid")"; }
