# If an rfkill block took the link down and no supplicant raises it, the service raises it once. (on day 0 of 4)
# A link that a user set down stays down.
access_point
static_station
mark
toggler_starts run --verbose --interval 1h --recheck 1s $station
within 20 "the first check is over" program_said 1 'healthy'

tell "the radio is blocked for a moment, and the service raises the link"
rfkill block "$(rfkill_of $station)"
rfkill unblock "$(rfkill_of $station)"
within 10 "the service has seen it" program_said 1 'administratively down'
# The program reports that a link is down only after five seconds, and gives the owner ten seconds to raise it.
sleep 2
is_down || fail "its owner has not had its time"
within 20 "the service raises it" is_up
program_said 1 'an rfkill block took the link down, and no program raised it after the unblock: raising it' || fail "and says so"
association
default_route
pings
within 30 "the service says that it is healthy" program_said 1 "after the raise: healthy"

tell "the radio is blocked for longer, and the service raises the link"
rfkill block "$(rfkill_of $station)"
within $time_limit "the kernel has lowered $station" is_down
sleep 15
is_down || fail "the radio is blocked"
rfkill unblock "$(rfkill_of $station)"
within 25 "the service raises it again" is_up
association
default_route
within 30 "the service says that it is healthy" program_said 2 "after the raise: healthy"

tell "a VLAN that a user has set up since the last check stays up after a block"
modprobe 8021q
ip link add link $station name vlan7 type vlan id 7
ip route add 198.51.100.0/24 via $gateway dev $station
# The service records the link anew, at most two seconds after a change.
sleep 5
ip link set vlan7 up
sleep 5
rfkill block "$(rfkill_of $station)"
within $time_limit "the kernel has lowered $station" is_down
rfkill unblock "$(rfkill_of $station)"
within 25 "the service raises it again" is_up
association
default_route
route_is_back() { [[ $(ip route show 198.51.100.0/24 dev $station) ]]; }
within 30 "the route is put back" route_is_back
ip -oneline link show dev vlan7 | finds '[<,]UP[,>]' || fail "the VLAN is up"
ip link delete vlan7
within 30 "the service says that it is healthy" program_said 3 "after the raise: healthy"

tell "a user sets the link down and the radio is blocked: the link stays down"
ip link set $station down
sleep 5
rfkill block "$(rfkill_of $station)"
sleep 1
rfkill unblock "$(rfkill_of $station)"
sleep 15
is_down || fail "what a user set down was raised"
kill -TERM "$program"
toggler_ends 10
expect_status 0
