# gateway dead, while another uplink with the preferred default route works
variant=yes
layer=gateway action=bounced bounces=1-2
prepare() { other_uplink; }
inject() {
    gateway_mutes
    ping -q -c 1 -W 5 $other_gateway >/dev/null || fail "the other uplink is fine"
}
heal() { gateway_speaks; }
tidy() {
    [[ $(ip route show default dev up0) ]] || fail "the other uplink's route is left alone" "$(ip route)"
    other_uplink_ends
}
