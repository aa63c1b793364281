# gateway and DHCP server come back with another subnet
layer=gateway action=bounced bounces=1-1 options=(--settle 20s) recovery=45
inject() {
    lease_server_dies
    gateway_mutes
    gateway=10.78.0.1
    gateway_speaks
    lease_server 10.78.0 100
}
# Nothing of the old subnet must be restored.
intact() {
    ip route show default dev $station | finds 'via 10\.78\.0\.1 ' || return
    ! { ip route show table all dev $station; ip address show dev $station; } | finds '10\.77\.0\.'
}
tidy() {
    lease_server_dies
    gateway_mutes
    gateway=10.77.0.1
    gateway_speaks
    lease_server 10.77.0 100
    dhcpcd --config "$scratch/dhcpcd.conf" --rebind $station >/dev/null 2>&1
    within 40 "the first subnet is back" on_first_subnet
    pings
}
on_first_subnet() { ip route show default dev $station | finds 'via 10\.77\.0\.1 '; }
