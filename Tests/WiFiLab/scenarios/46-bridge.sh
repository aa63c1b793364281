# A station (4addr) in a bridge with STP: bounced for the bridge's gateway while forwarding, not while blocked. (up to 200 s) (on day 2 of 4)
. "$LAB/ports.sh"
master=br0 kind=bridge holder=$master
# The shortest times that STP allows. The gateway's bridge is the root, so that the station's bridge blocks its port
# with the higher cost, which is the station.
spanning=(stp_state 1 forward_delay 200 hello_time 100 max_age 600)
port_state() { bridge link show dev $station | grep -o 'state [a-z]*'; }
is_in() { [[ $(port_state) == "state $1" ]]; }
bridged_access_point() { access_point bridge=$gateway_link wds_bridge=$gateway_link wds_sta=1; }

lan "${spanning[@]}" priority 0
bridged_access_point
ip link add $master type bridge "${spanning[@]}"
wire
iw dev $station set 4addr on
master_of $station $wire
supplicant
association
static_address
default_route
pings

port_in_use_is_left_alone
port_in_use_is_bounced
is_in forwarding || fail "the bridge has admitted the station" "$(port_state)"
idle_port_is_left_alone plug_in
is_in blocking || fail "the bridge has blocked the station" "$(port_state)"
idle_port_is_bounced bridged_access_point
service_ends
