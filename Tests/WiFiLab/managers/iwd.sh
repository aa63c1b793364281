# iwd with its own DHCP
impossible[owner]="who is connected must be told to disconnect first, and nothing may follow"
manage() {
    bus
    device_manager
    wireless_daemon yes
}
again() { iwd_again; }
says_so() { iwd_says_so; }
leave() { iwd_leaves; }
rejoin() { iwd_rejoins; }
