# wpa_supplicant with dhclient
manage() {
    command -v dhclient >/dev/null || skip "this release of Debian has no dhclient"
    supplicant
    association
    dhclient -d -pf "$scratch/dhclient.pid" -lf "$scratch/dhclient.leases" $station >>"$scratch/dhclient.log" 2>&1 &
}
says_so() { supplicant_says_so && kill -0 "$(<"$scratch/dhclient.pid")"; }
leave() { supplicant_leaves; }
rejoin() { supplicant_rejoins; }
