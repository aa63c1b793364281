# set down by a person
variant=yes
layer=radio action=refused others=1
inject() { ip link set $station down; }
heal() {
    is_down || fail "a person's wish is kept"
    ip link set $station up
    association
    static_routes
}
