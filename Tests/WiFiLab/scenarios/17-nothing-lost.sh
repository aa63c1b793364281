# A bounce restores power saving that another program changes meanwhile, and what a VLAN on the link loses.
access_point
static_station
modprobe 8021q

power_save() { iw dev $station get power_save; }
vlan_state() { ip -oneline link show dev "$1" | finds '[<,]UP[,>]' && echo up || echo down; }
vlan_routes() { { ip -4 route show table all dev vlan7; ip -6 route show table all dev vlan7; } | grep -v 'proto kernel'; }

ip link add link $station name vlan7 type vlan id 7
ip link set vlan7 up
ip address add 10.78.0.2/24 dev vlan7
ip -6 address add fd78::2/64 dev vlan7 nodad
ip route add 192.0.2.0/24 via 10.78.0.1
ip -6 route add 2001:db8::/32 via fd78::1 dev vlan7
ip neighbour add 10.78.0.50 lladdr 02:00:00:00:00:50 dev vlan7 nud permanent
ip link add link $station name vlan8 type vlan id 8
ip link set vlan8 up
ip link set vlan8 down
iw dev $station set power_save off
before=$(vlan_routes)

# A network manager may change power saving when the link goes down.
mark
toggler_starts toggle --delay 3s --json $station
within 10 "the link is down" is_down
iw dev $station set power_save on
toggler_ends 60
expect_status 0
expect_bounces 1 3
pings

[[ $(power_save) == *off ]] || fail "power saving is off again" "$(power_save)"
[[ $(vlan_routes) == "$before" ]] || fail "the VLAN's routes: $before" "$(vlan_routes)"
ip -6 address show dev vlan7 | finds 'fd78::2/64' || fail "the VLAN's IPv6 address is back"
ip neighbour show dev vlan7 nud permanent | finds 10.78.0.50 || fail "the VLAN's permanent neighbour is back"
[[ $(vlan_state vlan7) == up ]] || fail "the VLAN is up"
[[ $(vlan_state vlan8) == down ]] || fail "the VLAN that somebody had set down is down again"
expect_json '.restored | any(. == "power save off")'
expect_json '.restored | any(. == "link vlan8 down")'
