# A station in a VRF is judged by its own addresses; a bounce restores its routes in the VRF's table. (on day 1 of 4)
. "$LAB/ports.sh"
master=red0 kind=vrf holder=$station in_use="this port has its own addresses"
gateway6=fd77::1
default_route() { ip route replace default via $gateway vrf $master; }

access_point
ip -n ap address add $gateway6/64 dev $gateway_link nodad
ip link add $master type vrf table 77
master_of $station
supplicant
association
static_address
ip address add fd77::2/64 dev $station nodad
default_route
ip route add 198.51.100.0/24 via $gateway vrf $master
ip -6 route add 2001:db8::/32 via $gateway6 vrf $master
pings

port_in_use_is_left_alone
port_in_use_is_bounced
service_ends
