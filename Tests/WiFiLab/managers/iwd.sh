# iwd with its own DHCP
# When iwd has joined anew, its address stands behind all others, and its route of the subnet names no source: packets to
# the gateway leave with the foreign address. After a bounce of its own the program puts that right, after what others
# did to the link it does not: `doctor` names it (foreign-source).
stands_behind=yes
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
