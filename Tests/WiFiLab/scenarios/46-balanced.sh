# A station in a balancing bond or a team is judged by its association. (on day 0 of 4)
. "$LAB/ports.sh"
master=bond0 kind=bond holder=$master idle='it is not known which traffic passes through this port'
bridged_access_point() { access_point bridge=$gateway_link; }
# names_the_master: expects that probe finds the port healthy. Its evidence must name the master, and say that it is not
# known which traffic passes through the port.
names_the_master() {
    toggler probe --json $station
    expect_status 0
    expect_json ".evidence | any(.probe == \"master\" and .detail == \"$master ($kind), $idle\")"
}

lan
bridged_access_point
modprobe bonding max_bonds=0
ip link add $master type bond mode balance-rr miimon 100
master_of $station
supplicant
association
static_address
default_route
pings

names_the_master
service_starts $station
idle_port_is_left_alone :
idle_port_is_bounced bridged_access_point
service_ends

tell "it moves to a team, which passes no traffic without its daemon"
ip link del $master
master=team0 kind=team
ip link add $master type team
master_of $station
association
names_the_master
