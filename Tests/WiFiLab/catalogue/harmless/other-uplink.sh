# another uplink has the preferred default route, and strict rp_filter drops what arrives on other links
layer=- cycles=8
inject() {
    other_uplink
    ip route get $provider | finds 'dev up0' || fail "the way to everywhere is the other uplink" "$(ip route)"
}
heal() { other_uplink_ends; }
