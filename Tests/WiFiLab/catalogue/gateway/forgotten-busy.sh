# associated, but forgotten by the access point, while the station sends
variant=yes
layer=gateway action=bounced bounces=1-1
inject() {
    ping -q -i 0.2 -I $station $gateway >/dev/null 2>&1 &
    traffic=$!
    access_point_forgets_station
}
tidy() { kill $traffic; }
