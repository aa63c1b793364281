# Networks of other kinds than the lab's own, which is WPA2 with a pre-shared key on channel 1.
# shellcheck shell=bash disable=SC2034,SC2154,SC2206 # sourced after network.sh; variables are for the scenarios

kinds=(wpa3 wpa2-and-wpa3 owe owe-beside-open enterprise hidden fast-transition 5-ghz)

# The certificates and users for WPA2-Enterprise. This directory is not in $scratch, which a scenario may empty between
# two networks.
identities=/run/identities

# With these lines, hostapd logs each step of an association.
talkative=(logger_stdout=-1 logger_stdout_level=1)

# kind NAME: from now on, access_point and supplicant use this kind of network, or the lab's own if the name is unknown.
# Sets `kind_title`, `has_key` (whether the network has a key that may change), and `spoils` (whether a defect of the
# access point may spoil an association: on a slow processor, OWE of hostapd 2.10 may take a repeated request for a new
# one, and have other keys than the station from then on).
kind() {
    local password=correct-horse
    kind=$1 kind_title=$1 at_access_point=() at_station=() of_supplicant=() serving_link=wlan0 has_key=yes spoils=no
    case $1 in
    wpa3)
        # The access point queries a station that it knows (SA Query) before it lets that station join again.
        kind_title="WPA3 (SAE), management frames protected"
        at_access_point=(wpa_key_mgmt=SAE ieee80211w=2 sae_password=$password sae_pwe=2 "${talkative[@]}")
        at_station=(key_mgmt=SAE ieee80211w=2 "sae_password=\"$password\"")
        ;;
    wpa2-and-wpa3)
        kind_title="WPA2 and WPA3 at once"
        at_access_point=("wpa_key_mgmt=WPA-PSK SAE" ieee80211w=1 sae_password=$password)
        at_station=("key_mgmt=WPA-PSK SAE" ieee80211w=1 "sae_password=\"$password\"" psk=$pre_shared_key)
        ;;
    owe)
        kind_title="OWE, encrypted without a key" has_key=no spoils=yes
        at_access_point=(wpa_key_mgmt=OWE ieee80211w=2)
        at_station=(key_mgmt=OWE ieee80211w=2)
        ;;
    owe-beside-open)
        kind_title="OWE beside an open network that points to it" has_key=no spoils=yes serving_link=wlan0_owe
        at_access_point=(wpa=0 owe_transition_ifname=wlan0_owe
            bss=wlan0_owe ssid=$network_name-owe bridge=$gateway_link wpa=2 wpa_key_mgmt=OWE rsn_pairwise=CCMP
            ieee80211w=2 ignore_broadcast_ssid=1 owe_transition_ifname=wlan0)
        at_station=(key_mgmt=OWE ieee80211w=2)
        ;;
    enterprise)
        kind_title="WPA2-Enterprise (PEAP)"
        enterprise_identities
        at_access_point=(wpa_key_mgmt=WPA-EAP ieee8021x=1 eap_server=1 eap_user_file=$identities/users
            ca_cert=$identities/eap.pem server_cert=$identities/eap.pem private_key=$identities/eap.key)
        at_station=(key_mgmt=WPA-EAP eap=PEAP 'identity="person"' 'password="secret"' 'phase2="auth=MSCHAPV2"'
            "ca_cert=\"$identities/eap.pem\"")
        ;;
    hidden)
        kind_title="a hidden network"
        at_access_point=(ignore_broadcast_ssid=1)
        at_station=(psk=$pre_shared_key scan_ssid=1)
        ;;
    fast-transition)
        kind_title="fast transition (802.11r), the access points may ask a station to move (802.11v)"
        at_access_point=(wpa_key_mgmt=FT-PSK mobility_domain=a1b2 ft_over_ds=0 ft_psk_generate_local=1
            nas_identifier=first bss_transition=1 rrm_neighbor_report=1 "${talkative[@]}")
        at_station=(key_mgmt=FT-PSK psk=$pre_shared_key)
        ;;
    6-ghz)
        kind_title="6 GHz"
        at_access_point=(hw_mode=a channel=5 op_class=131 ieee80211n=1 ieee80211ax=1 wmm_enabled=1
            wpa_key_mgmt=SAE ieee80211w=2 sae_password=$password sae_pwe=1)
        # This is an option of hostapd 2.11 and later.
        ! grep -q he_6ghz_reg_pwr_type "$(command -v hostapd)" || at_access_point+=(he_6ghz_reg_pwr_type=1)
        at_station=(key_mgmt=SAE ieee80211w=2 "sae_password=\"$password\"") of_supplicant=(sae_pwe=2)
        ;;
    5-ghz)
        kind_title="5 GHz"
        at_access_point=(hw_mode=a channel=36)
        at_station=(psk=$pre_shared_key)
        ;;
    esac
}

enterprise_identities() {
    [[ ! -e $identities/users ]] || return 0
    mkdir -p $identities
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 3 -subj /CN=radius.example \
        -keyout $identities/eap.key -out $identities/eap.pem >$identities/log 2>&1
    printf '%s\n' '* PEAP' '"person" MSCHAPV2 "secret" [2]' >$identities/users
    printf '%s\n' '* PEAP' '"person" MSCHAPV2 "other" [2]' >$identities/other_users
}

## What must work in a network of any kind. A scenario that uses these functions also sources fast-reconnect.sh

second_access_point=wlan2

# kinds_radios: makes the radios of two access points, in their namespace, and the radio of the station. All may use 5
# GHz, and with newer kernels 6 GHz, too (regtest=5, HWSIM_REGTEST_CUSTOM_WORLD in mac80211_hwsim.c). A bridge behind
# both access points has the gateway's address. The supplicant scans all channels, as it usually does, so that fast
# reconnect has a scan to abort.
kinds_radios() {
    local radio
    frequency='' time_limit=60 gateway_link=br0
    modprobe -r mac80211_hwsim
    ip netns del ap
    modprobe mac80211_hwsim radios=3 regtest=5
    ip netns add ap
    for radio in wlan0 $second_access_point; do iw phy "$(phy_of $radio)" set netns name ap; done
    ip -n ap link set lo up
    ip -n ap link add $gateway_link type bridge forward_delay 0
    ip -n ap link set $gateway_link up
    gateway_speaks
}

# network: starts an access point whose radio is a port of the bridge.
network() { access_point bridge=$gateway_link; }

# joins: starts a supplicant that knows only this network, and sets up a healthy link.
joins() {
    supplicant
    association
    static_address
    default_route
    within $time_limit "$gateway answers over Wi-Fi" reached
}
# reached: whether the gateway answers. If it does not for a while, makes the station associate anew, because a defect
# of the access point may have spoiled the association (`spoils`).
misses=0
reached() {
    answers && return
    ((++misses % 5)) || { wpa_cli -i $station disconnect && wpa_cli -i $station reconnect; } >/dev/null
    return 1
}

# leaves: ends the supplicant and the access point, and removes what would be left for the next kind.
leaves() {
    supplicant_ends
    ip address flush dev $station
    access_point_dies
    # The state that was learned in one network must not count in the next one.
    rm -rf /var/lib/wifi-toggler
}

# cured ARGUMENT...: the program must make the link healthy again. A busy guest loses frames, so the program has three
# tries. If the access point may have spoiled the association, the station associates anew before the next try.
cured() {
    local try
    for try in 1 2 3; do
        toggler "$@" --settle ${time_limit}s --json $station
        [[ $status != 0 ]] || break
        tell "try $try has failed: $kind_title"
        [[ $spoils == no ]] || within $time_limit "$gateway answers after a new association" reached
    done
    expect_status 0
    expect_json '.verdict == "healthy"'
    pings
}

# bounces: a bounce must end with a fast reconnect, or if the access point may spoil an association, with a healthy
# link.
bounces() {
    local cut_short='sx+([a!])Ac*([sf])'
    if [[ $spoils == yes ]]; then cured toggle --delay 200ms; else short_bounces 1; fi
}

probes_healthy() {
    toggler probe --json $station
    expect_status 0
    expect_json '.verdict == "healthy"'
}

survives_forgetting() {
    tell "the access point has forgotten the station, and does not say so"
    access_point_forgets_station
    no_ping
    mark
    cured reconnect --fall 1 --backoff 0
    has_bounced 1 || fail "the program has bounced the link" "$(changes)"
}

survives_restart() {
    tell "the access point dies without a word, and comes back"
    access_point_dies
    within $time_limit "the station has noticed" not_associated
    network
    cured reconnect --fall 1 --backoff 0
}

# survives_abrupt_return: a bounce begins out of the access point's range and ends in range, so that the access point
# does not receive the station's disassociation. With protected management frames, the access point first queries the
# station that it remembers (SA Query, IEEE 802.11, 11.13).
survives_abrupt_return() {
    tell "the access point does not hear that the station leaves"
    : >"$scratch/hostapd.log"
    out_of_range
    toggler_starts toggle --delay 1s --settle ${time_limit}s --json $station
    within 10 "the link is down" is_down
    in_range
    toggler_ends 120
    expect_status 0
    expect_json '.verdict == "healthy"'
    finds 'SA Query' <"$scratch/hostapd.log" || fail "the access point has asked the station" "$(<"$scratch/hostapd.log")"
}

# works: checks what must work in a network of any kind.
works() {
    bounces
    probes_healthy
    survives_forgetting
    survives_restart
}

# on_channel MHZ: whether the station is associated on this frequency.
on_channel() { iw dev $station link | finds "freq: $1"; }
