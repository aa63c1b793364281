# iwd with systemd-networkd
impossible[owner]="the association is sick: networkd does not make it, and iwd cannot be asked"
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
