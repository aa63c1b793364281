# radio blocked by rfkill
variant=yes
layer=radio action=refused others=1
inject() { rfkill block "$(rfkill_of $station)"; }
heal() {
    is_down || fail "the radio is blocked"
    rfkill unblock "$(rfkill_of $station)"
    ip link set $station up
    association
    static_routes
}
