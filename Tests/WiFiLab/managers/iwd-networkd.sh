# iwd with systemd-networkd
manage() {
    bus
    device_manager
    networkd
    wireless_daemon no
}
again() { iwd_again; }
says_so() { networkd_says_so && iwd_says_so; }
leave() { iwd_leaves; }
rejoin() { iwd_rejoins; }
