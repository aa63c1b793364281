# NetworkManager with iwd
beat=10
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
