# A station that is a port of Open vSwitch is judged by its association. (on day 0 of 4)
. "$LAB/ports.sh"
. "$LAB/managers.sh"
unpacked_managers
# The kernel's master of all ports is the datapath. The bridge has the addresses.
holder=ovs0 master=ovs-system kind="Open vSwitch" idle='it is not known which traffic passes through this port'
bridged_access_point() { access_point bridge=$gateway_link; }
daemons=()
switch_ends() {
    ovs-vsctl --timeout=10 del-br $holder || :
    kill "${daemons[@]}" 2>/dev/null || :
    wait "${daemons[@]}" || :
}
# switch: starts Open vSwitch with a bridge whose only port is the station. The access point accepts only frames with the
# station's own hardware address, so the bridge gets the same hardware address.
switch() {
    modprobe openvswitch
    mkdir -p /run/openvswitch /var/log/openvswitch
    ovsdb-tool create "$scratch/switch.db" /usr/share/openvswitch/vswitch.ovsschema
    ovsdb-server "$scratch/switch.db" --remote=punix:/run/openvswitch/db.sock >>"$scratch/switch.log" 2>&1 &
    daemons+=($!)
    within $time_limit "its database answers" ovs-vsctl --timeout=2 --no-wait init
    # The package's script for `ovs-vswitchd` (update-alternatives(1)) has not run.
    /usr/lib/openvswitch-switch/ovs-vswitchd >>"$scratch/switch.log" 2>&1 &
    daemons+=($!)
    trap switch_ends EXIT
    ovs-vsctl --timeout=30 add-br $holder -- set bridge $holder "other-config:hwaddr=$(mac_of $station)" \
        -- add-port $holder $station
    ip link set $holder up
}

lan
bridged_access_point
supplicant
association
switch
within $time_limit "$station is a port" is_port
static_address
default_route
pings

tell "the port is healthy, and what is not known is said"
mark
toggler probe --json $station
expect_status 0
expect_json ".evidence | any(.probe == \"master\" and .detail == \"$master ($kind), $idle\")"
service_starts $station
idle_port_is_left_alone :
idle_port_is_bounced bridged_access_point
service_ends
