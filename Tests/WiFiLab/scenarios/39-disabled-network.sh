# wpa_supplicant disables its network after wrong keys: when told to, it joins at once. (up to 500 s) (on day 7 of 8)
ctl() { wpa_cli -i $station "$@"; }
network_is() { ctl list_networks | finds "^$1"$'\t.*\t'"$2\$"; }
log_lines() { wc -l <"$scratch/supplicant.log"; }
has_failed() { tail -n "+$((before + 1))" "$scratch/supplicant.log" | finds 'SSID-TEMP-DISABLED id=0 .*auth_failures=[45] '; }
# supplicant_disables_network: gives the access point another key until wpa_supplicant has disabled its network for more
# than a minute, and then the right key again.
supplicant_disables_network() {
    before=$(log_lines)
    access_point_dies
    access_point "wpa_psk=$wrong_key"
    within 150 "wpa_supplicant has disabled its network for long" has_failed
    access_point_dies
    access_point
    network_is 0 '\[TEMP-DISABLED\]' || fail "its network is disabled" "$(ctl list_networks)"
    silent || fail "the link is lost"
}
# seconds_since MILLISECONDS: the whole seconds since then.
seconds_since() { local now; now=$(milliseconds); echo "$(((now - $1) / 1000))"; }

access_point
static_station
# Adds an enabled network, and one that a user has disabled.
for number in 1 2; do
    ctl add_network >/dev/null
    ctl set_network $number ssid "\"other$number\"" >/dev/null
    ctl set_network $number psk $pre_shared_key >/dev/null
done
ctl enable_network 1 >/dev/null
others_are_as_before() {
    network_is 1 '' && network_is 2 '\[DISABLED\]' || fail "no other network is touched" "$(ctl list_networks)"
}
others_are_as_before

tell "wpa_supplicant alone joins only when the network's disabled time is over"
supplicant_disables_network
began=$(milliseconds)
within 150 "$gateway answers over Wi-Fi" answers
alone=$(seconds_since "$began")

tell "a link that a user disconnects is left alone"
supplicant_disables_network
ctl disconnect >/dev/null
toggler reconnect --fall 1 --backoff 0 --method owner --settle 3s $station
expect_status 1
ctl status | finds '^wpa_state=DISCONNECTED' || fail "it stays disconnected" "$(ctl status)"
others_are_as_before

tell "doctor reports the disabled network, and changes nothing"
ctl reconnect >/dev/null
pings
# A method that did not help is not tried again in the same outage, nor until the link has been healthy for a while. So
# remove the record.
rm /var/lib/wifi-toggler/*.limiter
supplicant_disables_network
toggler doctor --json $station
expect_json '.finding == "owner-gave-up" and (.reason | startswith("wpa_supplicant has disabled its network"))'
network_is 0 '\[TEMP-DISABLED\]' || fail "its network is still disabled" "$(ctl list_networks)"

tell "wpa_supplicant is told to enable the network instead of a bounce, and the link stays up"
mark
began=$(milliseconds)
toggler reconnect --fall 1 --backoff 0 --settle 20s --json $station
expect_status 0
expect_json '.action == "recovered" and .methods == ["owner"] and .down_ms == 0'
expect_says 'wpa_supplicant has disabled its network'
asked=$(seconds_since "$began")
others_are_as_before
pings
((asked < alone)) || fail "it is back sooner than by itself" "$asked s and $alone s"
echo "back after $asked s; by itself after $alone s" | tee "$REPORT"

tell "on a healthy link doctor reports no disabled network"
toggler doctor --json $station
! says owner-gave-up || fail "doctor finds its owner at work" "$(<"$scratch/program.out")"
