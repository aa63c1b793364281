# set down by a user
variant=yes
layer=radio action=refused others=1
inject() { ip link set $station down; }
heal() {
    is_down || fail "the link stays as the user left it"
    ip link set $station up
    association
    static_routes
}
