# systemd-networkd with wpa_supplicant
manage() {
    bus
    device_manager
    networkd
    supplicant
}
says_so() { networkd_says_so && supplicant_says_so; }
leave() { networkctl down $station; }
rejoin() { networkctl up $station; }
