# Networks of other kinds: WPA3 with protected management frames, its transition, OWE, enterprise, hidden, 802.11r, 5 GHz, crowded air. (up to 1200 s)
. "$LAB/fast-reconnect.sh"

# The supplicant scans all channels, as is usual, so that fast reconnect has something to do.
frequency='' patience=60
second_access_point=wlan2
sae_password=correct-horse

# The radios of two access points in their namespace, and the station's radio. 5 GHz is allowed to all (regtest=5,
# HWSIM_REGTEST_CUSTOM_WORLD in mac80211_hwsim.c). A bridge behind both access points has the gateway's address.
modprobe -r mac80211_hwsim
ip netns del ap
modprobe mac80211_hwsim radios=3 regtest=5
ip netns add ap
for radio in wlan0 $second_access_point; do iw phy "$(phy_of $radio)" set netns name ap; done
ip -n ap link set lo up
gateway_link=br0
ip -n ap link add $gateway_link type bridge forward_delay 0
ip -n ap link set $gateway_link up
gateway_speaks

# joins LINE...: starts a supplicant for one network with these lines, in place of the one before.
joins() {
    {
        printf 'ctrl_interface=/run/wpa_supplicant\np2p_disabled=1\nnetwork={\n'
        printf '    %s\n' "ssid=\"$network_name\"" "$@"
        printf '}\n'
    } >"$scratch/wpa_supplicant.conf"
    wpa_supplicant -t -i "$station" -D nl80211 -c "$scratch/wpa_supplicant.conf" >>"$scratch/supplicant.log" 2>&1 &
    supplicant_process=$!
    association
    static_address
    default_route
    within $patience "$gateway answers through the air" reached
}
# An access point on a slow processor may take a repeated request for another one, and have other keys than the station
# from then on: OWE of hostapd 2.10, `spoils`. The next association is another chance.
misses=0
reached() {
    answers && return
    ((++misses % 5)) || { wpa_cli -i $station disconnect && wpa_cli -i $station reconnect; } >/dev/null
    return 1
}

# network LINE...: starts an access point behind the bridge.
network() { access_point bridge=$gateway_link "$@"; }

# leaves: stops the supplicant and the access point, and removes their traces for the next kind of network.
leaves() {
    supplicant_ends
    ip address flush dev $station
    access_point_dies
    # What was learned about one network must not count in the next one.
    rm -rf /var/lib/wifi-toggler
}

# cured ARGUMENT...: the program brings the link back. A busy guest loses frames, so it has three tries; after one that the
# access point has spoiled, the station joins anew, and the next try does not begin with what was spoiled.
spoils=no
cured() {
    local try
    for try in 1 2 3; do
        toggler "$@" --settle ${patience}s --json $station
        [[ $status != 0 ]] || break
        tell "try $try has failed"
        [[ $spoils == no ]] || within $patience "$gateway answers after a new association" reached
    done
    expect_status 0
    expect_json '.verdict == "healthy"'
    pings
}

# works: the checks that must succeed in a network of any kind.
works() {
    local cut_short='sx+([a!])Ac*([sf])'
    short_bounces 1
    knows_health
}
# knows_health [LINK]: expects that the program recognises a healthy and a sick link. LINK is the access point's link to
# the station.
knows_health() {
    toggler probe --json $station
    expect_status 0
    expect_json '.verdict == "healthy"'

    tell "the access point silently forgets the station"
    access_point_forgets_station "$@"
    no_ping
    mark
    cured reconnect --fall 1 --backoff 0
    has_bounced 1 || fail "the program has bounced the link" "$(changes)"
}

# survives_restart LINE...: the access point dies, and comes back with these lines. Expects that the link comes back,
# with or without a bounce.
survives_restart() {
    tell "the access point dies without deauthentication, and comes back"
    access_point_dies
    within $patience "the station has noticed" not_associated
    network "$@"
    cured reconnect --fall 1 --backoff 0
}

tell "=== WPA3 (SAE) with protected management frames and SA Query before a new association"
wpa3=(wpa_key_mgmt=SAE ieee80211w=2 sae_password=$sae_password sae_pwe=2)
network "${wpa3[@]}"
joins key_mgmt=SAE ieee80211w=2 "sae_password=\"$sae_password\""
works
survives_restart "${wpa3[@]}"
leaves

tell "=== WPA2/WPA3 transition mode"
both=("wpa_key_mgmt=WPA-PSK SAE" ieee80211w=1 sae_password=$sae_password)
network "${both[@]}"
joins "key_mgmt=WPA-PSK SAE" ieee80211w=1 "sae_password=\"$sae_password\"" "psk=$pre_shared_key"
works
leaves

spoils=yes
tell "=== OWE, encrypted without a key"
network wpa_key_mgmt=OWE ieee80211w=2
joins key_mgmt=OWE ieee80211w=2
cured toggle --delay 200ms
knows_health
leaves

tell "=== OWE transition mode, with an open network that announces it"
network wpa=0 owe_transition_ifname=wlan0_owe "bss=wlan0_owe" "ssid=$network_name-owe" "bridge=$gateway_link" \
    wpa=2 wpa_key_mgmt=OWE rsn_pairwise=CCMP ieee80211w=2 ignore_broadcast_ssid=1 owe_transition_ifname=wlan0
joins key_mgmt=OWE ieee80211w=2
wpa_cli -i $station status | finds '^key_mgmt=OWE' || fail "the station has joined the encrypted one"
cured toggle --delay 200ms
knows_health wlan0_owe
leaves

spoils=no
tell "=== WPA2-Enterprise (PEAP)"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 3 -subj /CN=radius.example \
    -keyout "$scratch/eap.key" -out "$scratch/eap.pem" >"$scratch/openssl.log" 2>&1
printf '%s\n' '* PEAP' '"person" MSCHAPV2 "secret" [2]' >"$scratch/eap_users"
network wpa_key_mgmt=WPA-EAP ieee8021x=1 eap_server=1 eap_user_file="$scratch/eap_users" \
    ca_cert="$scratch/eap.pem" server_cert="$scratch/eap.pem" private_key="$scratch/eap.key"
joins key_mgmt=WPA-EAP eap=PEAP 'identity="person"' 'password="secret"' 'phase2="auth=MSCHAPV2"' \
    "ca_cert=\"$scratch/eap.pem\""
works
leaves

tell "=== a hidden network"
network ignore_broadcast_ssid=1
joins psk=$pre_shared_key scan_ssid=1
works
leaves

tell "=== two access points with fast transition (802.11r), one of which dies"
roaming=(wpa_key_mgmt=FT-PSK mobility_domain=a1b2 ft_over_ds=0 ft_psk_generate_local=1)
network "${roaming[@]}" nas_identifier=first
sed "s/^interface=.*/interface=$second_access_point/; s/^channel=.*/channel=6/; s/^nas_identifier=.*/nas_identifier=second/" \
    "$scratch/hostapd.conf" >"$scratch/second.conf"
ip netns exec ap hostapd -t "$scratch/second.conf" >>"$scratch/second.log" 2>&1 &
second=$!
within $patience "the second access point is in the air" \
    in_access_point grep -q up /sys/class/net/$second_access_point/operstate
joins key_mgmt=FT-PSK psk=$pre_shared_key
is_on_channel() { iw dev $station link | finds "freq: $1"; }
heard() { wpa_cli -i $station scan_results | finds "$1" || { wpa_cli -i $station scan >/dev/null; return 1; }; }
first_address=$(in_access_point cat /sys/class/net/wlan0/address)
second_address=$(in_access_point cat /sys/class/net/$second_access_point/address)
if is_on_channel 2437; then other=$first_address other_channel=2412; else other=$second_address other_channel=2437; fi
within $patience "$station hears the other access point" heard "$other"
mark
# A busy guest loses frames, and after a failed attempt the station stays where it was. So repeat it.
roams() {
    local seconds
    heard "$other" && wpa_cli -i $station roam "$other" >/dev/null || return
    for ((seconds = 0; seconds < 20; seconds++)); do
        ! is_on_channel $other_channel || return 0
        sleep 1
    done
    return 1
}
within $patience "$station has roamed" roams
pings
toggler reconnect --fall 1 --json $station
expect_status 0
expect_json '.verdict == "healthy" and .action == "none"'
cured toggle --delay 200ms
kill "$second"
access_point_dies
within $patience "the station has lost both" not_associated
network "${roaming[@]}" nas_identifier=first
cured reconnect --fall 1 --backoff 0
leaves

tell "=== 5 GHz"
network hw_mode=a channel=36
joins psk=$pre_shared_key
iw dev $station link | finds 'freq: 5180' || fail "the station is on channel 36"
works
leaves

tell "=== a hundred other networks in the air"
crowd() {
    printf '%s\n' "interface=$second_access_point" driver=nl80211 hw_mode=g channel=6 beacon_int=1000 ssid=crowd-0
    local number
    for ((number = 1; number < 100; number++)); do
        printf 'bss=crowd%d\nssid=crowd-%d\n' $number $number
    done
}
crowd >"$scratch/crowd.conf"
ip netns exec ap hostapd -t "$scratch/crowd.conf" >>"$scratch/crowd.log" 2>&1 &
crowd=$!
crowd_is_up() { in_access_point test -e /sys/class/net/crowd99; }
within $patience "all of them are in the air" crowd_is_up
network
joins psk=$pre_shared_key
in_sight() { (($(iw dev $station scan dump | grep -c '^BSS ') >= $1)); }
hears_crowd() { in_sight 60 || { wpa_cli -i $station scan >/dev/null; return 1; }; }
within $patience "$station hears most of them" hears_crowd
# The kernel refuses a scan while another one is under way.
scans_no_more() { [[ $(grep ' scan ' "$scratch/wireless.trace" | tail -n 1) != *started* ]]; }
within $patience "no scan is under way" scans_no_more
works
kill $crowd
leaves
