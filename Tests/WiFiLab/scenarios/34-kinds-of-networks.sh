# Networks of other kinds: WPA3 with protected management frames, WPA2 and WPA3 at once, OWE, enterprise, hidden, 5 GHz, two access points with 802.11r and k/v, a crowded band. (up to 1200 s) (on day 0 of 8)
. "$LAB/fast-reconnect.sh"
. "$LAB/kinds.sh"

kinds_radios

for kind in "${kinds[@]}"; do
    kind "$kind"
    tell "=== $kind_title"
    network
    joins
    case $kind in
    owe*) wpa_cli -i $station status | finds '^key_mgmt=OWE' || fail "the station has joined the encrypted one" ;;
    5-ghz) on_channel 5180 || fail "the station is on channel 36" ;;
    esac
    works
    [[ $kind != wpa3 ]] || survives_abrupt_return
    leaves
done

tell "=== two access points with fast transition, one of which asks the station to move, and one of which dies"
kind fast-transition
network
sed "s/^interface=.*/interface=$second_access_point/; s/^channel=.*/channel=6/; s/^nas_identifier=.*/nas_identifier=second/" \
    "$scratch/hostapd.conf" >"$scratch/second.conf"
ip netns exec ap hostapd -t "$scratch/second.conf" >>"$scratch/second.log" 2>&1 &
second=$!
within $time_limit "the second access point is up" \
    in_access_point grep -q up /sys/class/net/$second_access_point/operstate
joins
heard() { wpa_cli -i $station scan_results | finds "$1" || { wpa_cli -i $station scan >/dev/null; return 1; }; }
first_address=$(in_access_point cat /sys/class/net/wlan0/address)
second_address=$(in_access_point cat /sys/class/net/$second_access_point/address)

# there: sets `here_link` to the link of the access point with which the station is associated, and `other`,
# `other_channel` and `other_frequency` to those of the other access point. Waits until the station has found that one.
there() {
    here_link=wlan0 other=$second_address other_channel=6 other_frequency=2437
    on_channel 2412 || here_link=$second_access_point other=$first_address other_channel=1 other_frequency=2412
    within $time_limit "$station hears the other access point" heard "$other"
}
# A busy guest loses frames. After an attempt that fails, the station is still associated with the old access point.
moves() {
    local seconds
    heard "$other" && "$@" >/dev/null || return
    for ((seconds = 0; seconds < 20; seconds++)); do
        ! on_channel $other_frequency || return 0
        sleep 1
    done
    return 1
}
# asks: the access point asks the station to move to the other one (IEEE 802.11, 9.6.13.9), whose operating class is 81,
# whose type is HT, and which has the highest preference.
asks() {
    in_access_point hostapd_cli -p /run/hostapd -i $here_link bss_tm_req "$(mac_of $station)" \
        pref=1 abridged=1 valid_int=255 "neighbor=$other,0,81,$other_channel,7,0301ff"
}
# moves_or_stays: whether the station has moved where it was asked to, or has answered that it prefers its access point.
moves_or_stays() {
    moves asks || grep -q "BSS-TM-RESP .*status_code=0 .*target_bssid=$(in_access_point cat "/sys/class/net/$here_link/address")" \
        "$scratch"/{hostapd,second}.log
}
there
within $time_limit "$station has roamed" moves wpa_cli -i $station roam "$other"
finds 'authentication OK (FT)' <"$scratch/second.log" || fail "this was a fast transition" "$(<"$scratch/second.log")"
pings
toggler reconnect --fall 1 --json $station
expect_status 0
expect_json '.verdict == "healthy" and .action == "none"'
cured toggle --delay 200ms

there
mark
toggler_starts run --json --interval 1s --recheck 1s --fall 5 --delay 300ms $station
within $time_limit "the program looks" program_said 2 '"verdict":"healthy"'
if [[ $(. /etc/os-release && echo "$VERSION_CODENAME") == bookworm ]]; then
    within $time_limit "$station has moved where it was asked to" moves asks
else
    within $time_limit "$station has moved, or has answered that it stays" moves_or_stays
fi
if ! on_channel $other_frequency; then
    tell "$station says that it stays, as wpa_supplicant of Debian 13 does; it is told to roam"
    within $time_limit "$station has roamed" moves wpa_cli -i $station roam "$other"
fi
grep -q "BSS-TM-RESP .*status_code=0" "$scratch"/{hostapd,second}.log || fail "the station has agreed to move"
looks=$(grep -c '"verdict":"healthy"' "$scratch/program.out")
within $time_limit "the program goes on looking" program_said $((looks + 5)) '"verdict":"healthy"'
kill -TERM "$program"
toggler_ends 15
expect_status 0
! grep '"action":"[^n]' "$scratch/program.out" || fail "neither alarm nor bounce"
[[ ! $(changes) ]] || fail "no bounce" "$(changes)"
pings
cured toggle --delay 200ms

tell "the access point that serves the station dies, and the other one takes over"
there
if [[ $here_link == wlan0 ]]; then access_point_dies; else kill -KILL "$second"; fi
no_ping
cured reconnect --fall 1 --backoff 0
on_channel $other_frequency || fail "the station is on the other channel"

tell "both are dead, and the first one comes back"
if [[ $here_link == wlan0 ]]; then kill "$second"; else access_point_dies; fi
within $time_limit "the station has lost both" not_associated
network
cured reconnect --fall 1 --backoff 0
leaves

tell "=== two hundred other networks in range"
crowd() {
    printf '%s\n' "interface=$second_access_point" driver=nl80211 hw_mode=g channel=6 beacon_int=1000 ssid=crowd-0
    local number
    for ((number = 1; number < 200; number++)); do
        printf 'bss=crowd%d\nssid=crowd-%d\n' $number $number
    done
}
crowd >"$scratch/crowd.conf"
ip netns exec ap hostapd -t "$scratch/crowd.conf" >>"$scratch/crowd.log" 2>&1 &
crowd=$!
crowd_is_up() { in_access_point test -e /sys/class/net/crowd199; }
within $time_limit "all of them are up" crowd_is_up
kind crowded
network
joins
in_sight() { (($(iw dev $station scan dump | grep -c '^BSS ') >= $1)); }
hears_crowd() { in_sight 120 || { wpa_cli -i $station scan freq=2437 >/dev/null; return 1; }; }
within $time_limit "$station hears most of them" hears_crowd
# The kernel refuses a scan while another one is under way.
scans_no_more() { [[ $(grep ' scan ' "$scratch/wireless.trace" | tail -n 1) != *started* ]]; }
within $time_limit "no scan is under way" scans_no_more
works
kill $crowd
leaves
