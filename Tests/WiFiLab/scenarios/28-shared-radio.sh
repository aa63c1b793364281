# On a radio with a station and an access point no method takes the access point from its clients. (on day 1 of 4)

# The third radio belongs to a client, in a namespace of its own.
modprobe -r mac80211_hwsim
ip netns del ap
modprobe mac80211_hwsim radios=3
radios
ip netns add client
iw phy "$(phy_of wlan2)" set netns name client
in_client() { ip netns exec client "$@"; }

access_point
static_station
iw phy "$(phy_of $station)" interface add shared0 type __ap addr 02:00:00:00:01:01
cat >"$scratch/shared.conf" <<END_OF_FILE
interface=shared0
driver=nl80211
ctrl_interface=/run/hostapd.shared
ssid=shared
hw_mode=g
channel=1
END_OF_FILE
hostapd -t "$scratch/shared.conf" >"$scratch/shared.log" 2>&1 &
within $time_limit "the station's radio carries an access point" grep -q up /sys/class/net/shared0/operstate
printf 'network={\n    ssid="shared"\n    key_mgmt=NONE\n    scan_freq=%s\n}\n' $frequency >"$scratch/client.conf"
in_client wpa_supplicant -t -i wlan2 -D nl80211 -c "$scratch/client.conf" >"$scratch/client.log" 2>&1 &
client_operational() { [[ $(in_client cat /sys/class/net/wlan2/operstate) == up ]]; }
within $time_limit "which has a client" client_operational
ip address add 10.78.0.1/24 dev shared0
in_client ip address add 10.78.0.2/24 dev wlan2
client_answers() { ping -q -c 1 -W 1 10.78.0.2 >/dev/null 2>&1; }
within $time_limit "the client answers" client_answers
# Records all events of the client's association from here on.
in_client iw event >"$scratch/client.trace" 2>&1 &
# kept: expects that the client has not lost its access point since the recording began.
kept() {
    client_answers || fail "the client answers"
    ! finds -E 'disconnected|deauth|del station' "$scratch/client.trace" || fail "the client is kept" "$(<"$scratch/client.trace")"
}

tell "a bounce takes down the station and not the access point"
mark
toggler toggle --delay 2s --json $station
expect_status 0
expect_bounces 1 2
kept

tell "the method rfkill is refused, because the radio also carries the access point"
mark
toggler toggle --method rfkill $station
expect_status 69
expect_says 'shared0 uses the same radio, and would stay down'
expect_no_event
kept

tell "a ladder skips the method rfkill"
gateway_mutes
no_ping
mark
toggler reconnect --fall 1 --backoff 0 --method bounce,rfkill --settle 3s --json $station
expect_status 1
expect_says 'shared0'
expect_json '.methods == ["bounce"]'
expect_bounces 1 3
kept
gateway_speaks
pings

tell "if the access point is set down, the method rfkill is used"
ip link set shared0 down
mark
toggler toggle --method rfkill --delay 1s --json $station
expect_status 0
expect_json '.methods == ["rfkill"]'
