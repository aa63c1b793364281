# beacons without answers
# The kernel beacons, and hostapd, which answers who wants to join, is stopped.
layer=association action=bounced bounces=1-3 recovery=60 notice=40
inject() {
    kill -STOP "$(<"$scratch/hostapd.pid")"
    access_point_forgets_station
}
heal() { kill -CONT "$(<"$scratch/hostapd.pid")"; }
