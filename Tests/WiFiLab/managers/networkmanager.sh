# NetworkManager with wpa_supplicant
beat=15
scans=all
manage() {
    bus
    device_manager
    supplicant_on_bus
    network_manager wpa_supplicant
}
again() { nm_again; }
says_so() { nm_says_so; }
leave() { nm_leaves; }
rejoin() { nm_rejoins; }
