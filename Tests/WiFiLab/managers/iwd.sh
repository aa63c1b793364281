# iwd with its own DHCP
impossible[owner]="a connected link must be disconnected first, and might then not connect again"
manage() {
    bus
    device_manager
    wireless_daemon yes
}
again() { iwd_again; }
says_so() { iwd_says_so; }
leave() { iwd_leaves; }
rejoin() { iwd_rejoins; }
