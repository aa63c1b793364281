# With IgnoreCarrierLoss=, networkd does not restore its routes after a bounce; the program does. (up to 200 s) (on day 3 of 8)
. "$LAB/matrix.sh"

default_of_networkd() { ip -4 route show default dev "$station" proto dhcp; }
has_default() { [[ $(default_of_networkd) ]]; }
has_address() { [[ $(ip -4 address show dev $station to 10.77.0.0/24) ]]; }
is_back() {
    within 40 "$gateway answers over Wi-Fi" answers
    within 20 "the default route is back" has_default
    within 20 "networkd says that it is connected" says_so
}

beside networkd
sed -i 's/^DHCP=ipv4$/&\nIgnoreCarrierLoss=yes/' /etc/systemd/network/10-lab.network
networkctl reload
networkctl reconfigure $station
is_back

tell "after a bounce by another program, networkd has its address, and no default route"
ip link set $station down
ip link set $station up
association
sleep 15
has_address || fail "networkd keeps its address" "$(ip address show dev $station)"
! has_default || fail "networkd does not restore its default route" "$(ip route)"
networkctl reconfigure $station
is_back

tell "the program waits for networkd, and then restores the route"
for delay in 0.2 3; do
    toggler toggle --delay $delay --settle 40s --json $station
    expect_status 0
    expect_json '.verdict == "healthy" and any(.restored[]; startswith("default via"))'
    is_back
done

tell "if the program is killed, its guard does the same"
toggler_starts toggle --verbose --delay 10s --settle 40s $station
within 20 "the link is kept down" program_said 1 '→ keeping down'
kill -KILL "$program"
wait "$program" 2>/dev/null || :
within 3 "the link is up again" is_up
is_back
