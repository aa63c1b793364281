# DHCP server refuses to renew (NAK), and leases another address
layer=address? options=(--interval 3s --recheck 3s --fall 5) cycles=2 recovery=45
has_other_lease() { ip address show dev $station | finds 'inet 10\.77\.0\.20[0-9]/24 ' && has_default_route; }
inject() {
    lease_server_dies
    lease_server 10.77.0 200
    within 40 "$station has another address" has_other_lease
}
intact() { has_other_lease; }
