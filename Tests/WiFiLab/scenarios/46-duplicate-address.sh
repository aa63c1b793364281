# Another machine takes the station's IPv4 address: the DHCP client gets another one. (up to 400 s) (on day 5 of 8)
. "$LAB/ports.sh"
holder=$station
address() { ip -4 -oneline address show dev $station scope global | sed 's/.*inet \([0-9.]*\).*/\1/'; }
is_moved() { [[ $(address) && $(address) != "$taken" ]]; }
in_other() { ip netns exec other "$@"; }
# takes: gives the station's address to the other machine, which then answers ARP requests for it.
takes() {
    taken=$(address)
    ip -n other address add "$taken/24" dev $wire
}
gives_back() { ip -n other address flush dev $wire; }
# bound: the gateway sends packets for the address to the other machine alone, as a router that binds addresses to
# hardware addresses does. It still answers ARP requests of the station.
bound() {
    ip -n ap neighbour replace "$taken" lladdr "$(in_other cat /sys/class/net/$wire/address)" nud permanent dev $gateway_link
}

# The other machine is wired to the gateway's bridge.
lan
wire
ip netns add other
ip link set $wire netns other
ip -n other link set $wire up
plug_in
access_point bridge=$gateway_link
ip netns exec ap dnsmasq --keep-in-foreground --conf-file=/dev/null --no-hosts --no-resolv --port=0 \
    --interface=$gateway_link --bind-dynamic --dhcp-authoritative --dhcp-range=10.77.0.100,10.77.0.150,10m \
    --dhcp-leasefile="$scratch/leases" --log-dhcp --log-facility="$scratch/dnsmasq.log" &
supplicant
association
# Unlike in other scenarios, the DHCP client probes for duplicate addresses by ARP.
echo 'nohook resolv.conf, hostname, timesyncd' >"$scratch/dhcpcd.conf"
dhcpcd --nobackground --config "$scratch/dhcpcd.conf" --ipv4only $station >>"$scratch/dhcpcd.log" 2>&1 &
client=$!
pings

tell "the link is healthy, and the gateway's echo is remembered"
toggler reconnect --json --probe auto --probe "icmp:$gateway" $station
expect_status 0
expect_json '.verdict == "healthy" and .action == "none"'

tell "the other machine speaks: the DHCP client gives the address up and gets another one"
service_starts --settle 60s
within 30 "at first it is healthy" checked 2 '"verdict":"healthy"'
mark
takes
# Each ARP request of the other machine for the gateway's hardware address announces its own hardware address.
while in_other ip neighbour flush dev $wire && ! is_moved; do
    in_other ping -q -c 1 -W 1 $gateway >/dev/null 2>&1 || :
done &
speaker=$!
within 60 "the service notices that the address is missing" checked 1 '"verdict":"sick","layer":"address"'
within 60 "the client has another address" is_moved
wait $speaker
from_here
within 60 "the link is healthy again" checked 3 '"verdict":"healthy"'
pings
expect_bounces 1 0.3
gives_back

tell "the other machine is silent, and packets of the gateway reach only that: it is not healthy for ever"
mark
from_here
takes
bound
no_ping
within 30 "at first it is healthy, because the gateway answers ARP" checked 2 '"verdict":"healthy"'
within 60 "the service misses the echo" checked 1 '"verdict":"sick","layer":"gateway".*answers the neighbour probe'
within 60 "it bounces, and the client finds the address in use" is_moved
within 60 "the link is healthy after the bounce" checked 1 '"verdict":"healthy".*"action":"bounced"'
pings
service_ends
expect_bounces 1 0.3
toggler history --json $station
for layer in address gateway; do
    expect_json ".kind == \"outage\" and .layer == \"$layer\" and .end != null"
    expect_json ".kind == \"bounce\" and (.cause | startswith(\"sick at layer $layer\")) and .use == \"useful\""
done
gives_back

tell "the address is static, so nobody looks for duplicates: no bounce helps, and the service stops bouncing"
kill $client
wait $client || :
ip address flush dev $station scope global
static_address
default_route
pings
rm -rf /var/lib/wifi-toggler
toggler reconnect --json --probe auto --probe "icmp:$gateway" $station
expect_status 0
mark
service_starts --settle 5s
takes
bound
within 90 "the service misses the echo" checked 1 '"verdict":"sick","layer":"gateway".*answers the neighbour probe'
within 150 "it says that bounces do not help" program_said 1 'a bounce does not help here .3 bounces in a row changed nothing'
from_here
within 60 "it stays sick" checked 10 '"verdict":"sick","layer":"gateway"'
! checked 1 '"verdict":"healthy"' || fail "no check finds it healthy" "$(checks_here)"
expect_bounces 3 0.3

tell "the other machine is gone: healthy without a bounce"
mark
ip -n ap neighbour del "$taken" dev $gateway_link
gives_back
pings
from_here
within 60 "the service finds it healthy" checked 3 '"verdict":"healthy"'
[[ ! $(changes) ]] || fail "no bounce" "$(changes)"
service_ends
