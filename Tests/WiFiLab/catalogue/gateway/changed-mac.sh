# gateway replaced by one with another MAC address
# The kernel probes the old hardware address three times, once a second, before it resolves the gateway again.
layer=gateway? options=(--timeout 2s --recheck 1s --fall 3) cycles=3
inject() {
    first=$(in_access_point cat /sys/class/net/$gateway_link/address)
    ip -n ap link set $gateway_link address 02:00:5e:00:53:99
}
heal() { ip -n ap link set $gateway_link address "$first"; }
