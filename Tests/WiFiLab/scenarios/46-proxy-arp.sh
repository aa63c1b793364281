# Behind proxy ARP, a missing echo reply shows a dead gateway, and causes a bounce. (up to 200 s) (on day 3 of 4)
. "$LAB/ports.sh"
holder=$station
# The access point's own address must stay if the gateway's is removed, so it comes first.
gateway_mutes
ip -n ap address add 10.77.0.3/24 dev $gateway_link
gateway_speaks
gateway_dies() { ip -n ap address del $gateway/24 dev $gateway_link; }
# Proxy ARP for stations that are isolated from each other (proxy_arp_pvlan, RFC 3069).
in_access_point sysctl -q -w net.ipv4.ip_forward=1 net.ipv4.conf.$gateway_link.proxy_arp_pvlan=1 \
    net.ipv4.conf.$gateway_link.proxy_delay=0 net.ipv4.neigh.$gateway_link.proxy_delay=0 2>/dev/null || :
answers_arp() { ip neighbour flush dev $station && silent && ip neighbour show $gateway dev $station | finds lladdr; }

access_point ap_isolate=1
static_station

tell "the link is healthy, and the gateway's echo is remembered"
mark
toggler reconnect --json --probe auto --probe "icmp:$gateway" $station
expect_status 0
expect_json '.verdict == "healthy" and .action == "none"'
[[ ! $(changes) ]] || fail "no bounce" "$(changes)"

tell "the gateway dies, and the access point answers ARP in its place"
gateway_dies
within $time_limit "somebody answers ARP for the silent gateway" answers_arp
toggler probe --json --probe neighbour $station
expect_status 0

tell "it is not healthy for ever: the service misses the echo, and one bounce cures the link"
service_starts
within 30 "at first it is healthy" checked 2 '"verdict":"healthy"'
within 60 "the service misses the echo" checked 1 '"verdict":"sick","layer":"gateway".*answers the neighbour probe'
within 60 "the service bounces" has_bounced 1
gateway_speaks
within 60 "it is healthy after the bounce" checked 1 '"verdict":"healthy".*"action":"bounced"'
pings
service_ends
expect_bounces 1 0.3
