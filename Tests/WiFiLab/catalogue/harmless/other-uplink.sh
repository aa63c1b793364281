# another uplink is the better way to everywhere, and strict rp_filter drops what comes in elsewhere
layer=- cycles=8
inject() {
    other_uplink
    ip route get $provider | finds 'dev up0' || fail "the way to everywhere is the other uplink" "$(ip route)"
}
heal() { other_uplink_ends; }
