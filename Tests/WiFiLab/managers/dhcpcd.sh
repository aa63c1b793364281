# wpa_supplicant with dhcpcd
beat=15
# dhcpcd 10 removes its own link-local address when the carrier is lost, as does dhcpcd 9 in the cells `owner` and
# `disconnect`. If another one is there when the carrier comes back, it derives its public address from that one.
foreign_local=''
manage() {
    # dhcpcd turns off the kernel's handling of router advertisements. If the kernel has handled one before, it has a
    # default route that nobody restores after a bounce.
    echo 0 >/proc/sys/net/ipv6/conf/$station/accept_ra
    supplicant
    association
    printf 'hostname\nnohook resolv.conf, timesyncd\n' >"$scratch/dhcpcd.conf"
    dhcpcd --nobackground --config "$scratch/dhcpcd.conf" $station >>"$scratch/dhcpcd.log" 2>&1 &
}
says_so() { supplicant_says_so && dhcpcd --dumplease $station | finds "routers='\?$gateway"; }
leave() { supplicant_leaves; }
rejoin() { supplicant_rejoins; }
