# A network with IPv6 alone: the address is from a router's advertisement, then from DHCPv6. (on day 3 of 4)
readonly prefix=2001:db8:77:
# router LINE...: the access point's host becomes a router, as these lines of dnsmasq's configuration say.
router() {
    in_access_point sysctl --quiet --write net.ipv6.conf.wlan0.disable_ipv6=0 net.ipv6.conf.all.forwarding=1
    ip -n ap -6 address replace $prefix:1/64 dev wlan0 nodad
    printf '%s\n' port=0 interface=wlan0 bind-dynamic enable-ra log-dhcp "dhcp-leasefile=$scratch/leases" \
        "log-facility=$scratch/dnsmasq.log" "$@" >"$scratch/dnsmasq.conf"
    ip netns exec ap dnsmasq --keep-in-foreground --conf-file="$scratch/dnsmasq.conf" --no-hosts --no-resolv &
    router_process=$!
}
router_ends() {
    kill $router_process
    wait $router_process || :
}
has_address() { ip -6 -oneline address show dev $station scope global -tentative | finds "$prefix.*/$1 "; }
has_route() { ip -6 route show default dev $station | finds '^default via fe80:'; }
answers() { ping -q -c 1 -W 1 -I $station $prefix:1 >/dev/null 2>&1; }
# is_configured LENGTH: waits for an address with a prefix of this length, a default route, and an answer.
is_configured() {
    within 30 "the station has an address with a /$1" has_address "$1"
    within 30 "the router is its default route" has_route
    pings
}
is_healthy() {
    toggler probe --json $station
    expect_status 0
    expect_json '.verdict == "healthy" and .layer == null'
}
# cured LENGTH: lets the access point forget the station, and expects that one bounce brings everything back.
cured() {
    access_point_forgets_station
    no_ping
    mark
    toggler reconnect --json --fall 1 --backoff 0 --settle 30s $station
    expect_status 0
    expect_json '.verdict == "healthy" and .action == "bounced"'
    expect_bounces 1 0.5
    is_configured "$1"
}

gateway_mutes
access_point
supplicant
association
router "dhcp-range=$prefix:,ra-only,64,30m"

tell "the router advertises the prefix: the link is healthy"
is_configured 64
is_healthy

tell "a bounce cures it, and the kernel asks the router again"
supplicant_is_slow
cured 64

tell "the router falls silent: a fault of the gateway"
in_access_point sysctl --quiet --write net.ipv6.conf.wlan0.disable_ipv6=1
no_ping
probe_is_sick() { ! "$WIFI_TOGGLER" probe $station >/dev/null 2>&1; }
within 60 "the router's last answer is too old to prove anything" probe_is_sick
toggler probe --json $station
expect_status 1
expect_json '.verdict == "sick" and .layer == "gateway"'
router_ends

tell "the addresses come from the DHCPv6 server: the link is healthy"
printf 'nohook resolv.conf, hostname, timesyncd\nia_na 1\n' >"$scratch/dhcpcd.conf"
ip -6 address flush dev $station scope global
router "dhcp-range=$prefix:100,$prefix:1ff,64,10m"
dhcpcd --nobackground --config "$scratch/dhcpcd.conf" --ipv6only $station >>"$scratch/dhcpcd.log" 2>&1 &
is_configured 128
is_healthy

tell "a bounce cures it, and the client gets its lease again"
cured 128
