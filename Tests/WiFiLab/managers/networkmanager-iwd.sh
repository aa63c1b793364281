# NetworkManager with iwd
beat=10
# It takes IPv6 into its hands seconds after iwd has joined, by when the program has found the link healthy and has put
# back what was lost; then the addresses go that are not its own, and the routes through them.
taken_away='fd77::7/64|2001:db8:7::/48'
manage() {
    bus
    device_manager
    network_manager iwd
    wireless_daemon no
}
again() { nm_again; }
says_so() { nm_says_so && iwd_says_so; }
leave() { nm_leaves; }
rejoin() { nm_rejoins; }
