# forgotten by the access point, while a VPN has the default route
layer=gateway action=bounced bounces=1-1
prepare() {
    tunnel
    tunnel_routes=$(ip route show dev vpn0)
}
inject() { access_point_forgets_station; }
tidy() {
    [[ $(ip route show dev vpn0) == "$tunnel_routes" ]] || fail "the VPN's routes are left alone" "$(ip route)"
    ip link del vpn0
}
