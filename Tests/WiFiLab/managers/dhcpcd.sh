# wpa_supplicant with dhcpcd
beat=15
manage() {
    supplicant
    association
    printf 'hostname\nnohook resolv.conf, timesyncd\n' >"$scratch/dhcpcd.conf"
    dhcpcd --nobackground --config "$scratch/dhcpcd.conf" $station >>"$scratch/dhcpcd.log" 2>&1 &
}
says_so() { supplicant_says_so && dhcpcd --dumplease $station | finds "routers='\?$gateway"; }
leave() { supplicant_leaves; }
rejoin() { supplicant_rejoins; }
