# wpa_supplicant with dhcpcd
beat=15
# dhcpcd 10 removes its own link-local address when the carrier is lost. If another one is there when the carrier
# comes back, it derives its public address from that one. dhcpcd also turns off the kernel's handling of router
# advertisements: if the kernel has handled one before, there is a default route of the kernel that nobody restores after
# a bounce.
accept_ra=0
[[ $(dhcpcd --version) != 'dhcpcd 9.'* ]] || accept_ra=1
((accept_ra)) || foreign_local=''
manage() {
    echo $accept_ra >/proc/sys/net/ipv6/conf/$station/accept_ra
    supplicant
    association
    printf 'hostname\nnohook resolv.conf, timesyncd\n' >"$scratch/dhcpcd.conf"
    dhcpcd --nobackground --config "$scratch/dhcpcd.conf" $station >>"$scratch/dhcpcd.log" 2>&1 &
}
says_so() { supplicant_says_so && dhcpcd --dumplease $station | finds "routers='\?$gateway"; }
leave() { supplicant_leaves; }
rejoin() { supplicant_rejoins; }
