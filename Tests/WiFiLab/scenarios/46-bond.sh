# A station in an active-backup bond: as the active port, it is bounced for the bond's gateway; as a backup, it is not. (on day 1 of 4)
. "$LAB/ports.sh"
master=bond0 kind=bond holder=$master
active_port() { cat /sys/class/net/$master/bonding/active_slave; }
is_active() { [[ $(active_port) == "$1" ]]; }
bridged_access_point() { access_point bridge=$gateway_link; }

lan
bridged_access_point
# Without max_bonds=0 the module itself makes a bond.
modprobe bonding max_bonds=0
ip link add $master type bond mode active-backup miimon 100 fail_over_mac active
wire
master_of $station $wire
ip link set $master type bond primary $wire
supplicant
association
within $time_limit "the station is the active port" is_active $station
static_address
default_route
pings

port_in_use_is_left_alone
port_in_use_is_bounced
is_active $station || fail "the station is the active port again" "$(active_port)"
idle_port_is_left_alone plug_in
is_active $wire || fail "the wire is the active port" "$(active_port)"
idle_port_is_bounced bridged_access_point
service_ends
