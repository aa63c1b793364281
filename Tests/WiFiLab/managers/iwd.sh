# iwd with its own DHCP
# When iwd has joined anew, its address stands behind all others, and its route of the subnet names no source: packets
# to the gateway then leave with the foreign address, so this one must be of the subnet.
foreign=10.77.0.9/32
manage() {
    bus
    device_manager
    wireless_daemon yes
}
again() { iwd_again; }
says_so() { iwd_says_so; }
leave() { iwd_leaves; }
rejoin() { iwd_rejoins; }
