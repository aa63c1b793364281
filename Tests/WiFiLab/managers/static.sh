# wpa_supplicant with a static address
manage() {
    supplicant
    association
    static_address
    default_route
}
says_so() { supplicant_says_so; }
leave() { supplicant_leaves; }
rejoin() { supplicant_rejoins; }
