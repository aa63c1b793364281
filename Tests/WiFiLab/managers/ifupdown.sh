# ifupdown with wpa_supplicant
manage() {
    mkdir -p /run/network
    cat >/etc/network/interfaces <<END
iface $station inet static
    address $station_address/24
    gateway $gateway
    wpa-ssid $network_name
    wpa-psk $pre_shared_key
    wpa-scan-freq $frequency
END
    ifup $station
}
says_so() { supplicant_says_so && ifquery --state $station | finds "^$station=$station"; }
leave() { ifdown $station; }
rejoin() { ifup $station; }
