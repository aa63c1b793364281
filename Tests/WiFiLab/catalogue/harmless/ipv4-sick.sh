# IPv4 does not work, and IPv6 does
prepare() {
    ip -n ap address add $gateway6/64 dev $gateway_link nodad
    ip address add fd77::2/64 dev $station nodad
    ip -6 route add default via $gateway6 dev $station
}
inject() { drops ingress ip arp; }
heal() { drops_nothing; }
tidy() {
    ip address del fd77::2/64 dev $station
    ip -6 route del default dev $station
    ip -n ap address del $gateway6/64 dev $gateway_link
}
