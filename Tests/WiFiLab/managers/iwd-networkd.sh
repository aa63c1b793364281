# iwd with systemd-networkd
impossible[owner]="networkd is asked, and iwd cannot be: what is sick is the association"
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
