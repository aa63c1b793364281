# IPv6-only network whose gateway does not answer
layer=gateway action=bounced bounces=1-2
prepare() {
    ip -n ap address add $gateway6/64 dev $gateway_link nodad
    ip -4 address flush dev $station
    ip address add fd77::2/64 dev $station nodad
    ip -6 route add default via $gateway6 dev $station
}
answers() { ping -q -c 1 -W 1 -I $station $gateway6 >/dev/null 2>&1; }
inject() { ip -n ap address del $gateway6/64 dev $gateway_link; }
heal() { ip -n ap address add $gateway6/64 dev $gateway_link nodad; }
tidy() {
    ip -6 route del default dev $station
    ip address del fd77::2/64 dev $station
    ip -n ap address del $gateway6/64 dev $gateway_link
    static_address
    static_routes
}
