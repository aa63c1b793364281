# keys changed every other second
variant=yes
layer=- cycles=8
prepare() {
    access_point_dies
    access_point bridge=$gateway_link wpa_group_rekey=2 wpa_ptk_rekey=3
    association
    pings
}
inject() { :; }
tidy() {
    # wpa_supplicant 2.11 says RSN instead of WPA.
    (($(grep -c 'Group rekeying completed' "$scratch/supplicant.log" || :) >= 3)) || fail "it rekeyed"
    access_point_dies
    access_point bridge=$gateway_link
    association
    pings
}
