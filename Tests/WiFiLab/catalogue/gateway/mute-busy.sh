# gateway dead behind the access point, while the station sends
layer=gateway action=bounced bounces=1-2
inject() {
    ping -q -i 0.2 -I $station $gateway >/dev/null 2>&1 &
    traffic=$!
    gateway_mutes
}
heal() { gateway_speaks; }
tidy() { kill $traffic; }
