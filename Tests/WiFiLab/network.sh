# The radio environment inside the guest: an access point in its own network namespace, a station in the guest's
# namespace, and the faults between them. A function such as `association` or `pings` returns when that state is
# reached, or fails the scenario.
# shellcheck shell=bash disable=SC2034 # sourced; variables are for the scenarios

scratch=/run/scenario
station=wlan1
station_address=10.77.0.2
gateway=10.77.0.1
# The access point's link that has the gateway's address.
gateway_link=wlan0
network_name=lab
# Pre-shared keys as 256 bits, because an emulated processor takes seconds to derive one from a passphrase.
pre_shared_key=$(printf '5a%.0s' {1..32})
wrong_key=$(printf 'a5%.0s' {1..32})
# The frequency of the access point's channel 1 in MHz. With it, the supplicant need not scan the other channels, which
# takes about four seconds. If it is empty, the supplicant scans all.
frequency=2412
time_limit=20

# finds [OPTION] PATTERN: like grep -q, but reads all of its input. Otherwise SIGPIPE would end the writer, and with
# `pipefail` the pipeline would fail in spite of a match.
finds() { grep "$@" >/dev/null; }

in_access_point() { ip netns exec ap "$@"; }
state_of() { cat "/sys/class/net/$1/operstate"; }
rfkill_of() { basename "/sys/class/ieee80211/$(phy_of "$1")"/rfkill* | tr -dc '0-9'; }
phy_of() { cat "/sys/class/net/$1/phy80211/name"; }
mac_of() { cat "/sys/class/net/$1/address"; }

## The access point

# radios: moves the access point's radio into the namespace `ap`, so that packets between the two must use the radio.
radios() {
    ip netns add ap
    iw phy "$(phy_of wlan0)" set netns name ap
    ip -n ap link set lo up
    gateway_speaks
}

# `kind` (kinds.sh) sets these. The first three are additional lines for a network of that kind: in hostapd's
# configuration; in the supplicant's network, instead of the pre-shared key; and in the supplicant's configuration
# before the network. The last is the link of the access point with which the station associates.
at_access_point=() at_station=() of_supplicant=() serving_link=wlan0

# access_point [LINE]...: starts hostapd with more lines in its configuration; a later line wins over an earlier one.
access_point() {
    cat >"$scratch/hostapd.conf" <<END
interface=wlan0
driver=nl80211
ctrl_interface=/run/hostapd
ssid=$network_name
hw_mode=g
channel=1
wpa=2
wpa_key_mgmt=WPA-PSK
rsn_pairwise=CCMP
wpa_psk=$pre_shared_key
$(printf '%s\n' "$@" "${at_access_point[@]}")
END
    # Do not call in_access_point here: the process ID must be hostapd's own, because a scenario kills it.
    ip netns exec ap hostapd -t "$scratch/hostapd.conf" >>"$scratch/hostapd.log" 2>&1 &
    echo $! >"$scratch/hostapd.pid"
    within $time_limit "the access point is up" in_access_point grep -q up /sys/class/net/wlan0/operstate
}

# Kills the access point, so that it disappears silently: the station receives no deauthentication.
access_point_dies() {
    local process
    process=$(<"$scratch/hostapd.pid")
    kill -KILL "$process"
    wait "$process" 2>/dev/null || :
}

# key_changes: access points that start from now on have another key or password than the station. key_returns: access
# points that start from now on have the same key as the station again.
key_changes() {
    with_right_key=("${at_access_point[@]}")
    at_access_point=("${at_access_point[@]/#sae_password=*/sae_password=other}" wpa_psk=$wrong_key)
    at_access_point=("${at_access_point[@]/%users/other_users}")
}
key_returns() { at_access_point=("${with_right_key[@]}"); }

# Removes the kernel's entry for the station, but not hostapd's. The kernel then drops the station's frames, and nothing
# tells the station.
access_point_forgets_station() {
    in_access_point iw dev $serving_link station del "$(mac_of $station)"
}

# Moves the station and the access point out of each other's range, and back.
out_of_range() { echo 2 >"/sys/kernel/debug/ieee80211/$(phy_of $station)/hwsim/group"; }
in_range() { echo 1 >"/sys/kernel/debug/ieee80211/$(phy_of $station)/hwsim/group"; }

# Removes the gateway's address, so that it does not answer any more. The association stays.
gateway_mutes() { ip -n ap address flush dev $gateway_link; }
gateway_speaks() { ip -n ap address add $gateway/24 dev $gateway_link; }

# Makes the gateway ignore ICMP echo requests.
gateway_ignores_echo() { in_access_point sh -c 'echo 1 >/proc/sys/net/ipv4/icmp_echo_ignore_all'; }

dhcp_server() {
    ip netns exec ap dnsmasq --keep-in-foreground --conf-file=/dev/null --no-hosts --no-resolv --port=0 \
        --interface=wlan0 --bind-dynamic --dhcp-authoritative --dhcp-range=10.77.0.100,10.77.0.150,10m \
        --dhcp-leasefile="$scratch/leases" --log-dhcp --log-facility="$scratch/dnsmasq.log" &
}

## The station

# supplicant [KEY]: starts wpa_supplicant with the key.
supplicant() {
    cat >"$scratch/wpa_supplicant.conf" <<END
ctrl_interface=/run/wpa_supplicant
p2p_disabled=1
$(printf '%s\n' "${of_supplicant[@]}")
network={
    ssid="$network_name"
$(printf '    %s\n' "${at_station[@]:-psk=${1:-$pre_shared_key}}")
    ${frequency:+scan_freq=$frequency}
}
END
    wpa_supplicant -t -i "$station" -D nl80211 -c "$scratch/wpa_supplicant.conf" >>"$scratch/supplicant.log" 2>&1 &
    supplicant_process=$!
}
supplicant_ends() {
    kill "$supplicant_process"
    wait "$supplicant_process" || :
}

# Makes the supplicant scan rarely, so that it does not reconnect the link before the program does.
supplicant_is_slow() { wpa_cli -i $station scan_interval 300 >/dev/null; }

# Whether the supplicant has tried the known access point without success and has scanned once more. After that, the
# supplicant waits for a long time.
supplicant_gave_up() { sed '1,/auth: timed out/d' "$scratch/wireless.trace" | finds 'scan finished'; }

operational() { [[ $(state_of $station) == up ]]; }
# The carrier is set with the association. The file cannot be read while the link is down.
associated() { [[ $({ echo "$(<"/sys/class/net/$station/carrier")"; } 2>/dev/null) == 1 ]]; }
not_associated() { ! associated; }
association() { within $time_limit "$station is associated and has its keys" operational; }
disassociation() { within $time_limit "$station has lost its access point" not_associated; }

static_address() { ip address add $station_address/24 dev $station; }
has_default_route() { [[ $(ip route show default dev $station) ]]; }
default_route() { ip route replace default via $gateway dev $station; }

# Sets up a healthy link with a static address and route, as an administrator would.
static_station() {
    supplicant
    association
    static_address
    default_route
    pings
}

# Sets up a healthy link with an address from a DHCP lease.
dhcp_station() {
    supplicant
    association
    # dhcpcd must not probe for duplicate addresses by ARP, which takes five seconds.
    printf 'noarp\nnoipv4ll\nnohook resolv.conf, hostname, timesyncd\n' >"$scratch/dhcpcd.conf"
    dhcpcd --nobackground --config "$scratch/dhcpcd.conf" --ipv4only "$station" >>"$scratch/dhcpcd.log" 2>&1 &
    pings
}

answers() { ping -q -c 1 -W 1 -I $station $gateway >/dev/null 2>&1; }
silent() { ! answers; }
pings() { within ${1:-$time_limit} "$gateway answers over Wi-Fi" answers; }
no_ping() { within $time_limit "$gateway does not answer any more" silent; }

## Other links

# driver NAME: loads a driver from `drivers/`. Its link NAME0 is the station from now on.
driver() {
    rmmod "$1" 2>/dev/null || :
    insmod "${WIFI_TOGGLER_ROOT:-$LAB_CACHE}/drivers/$1.ko"
    station=${1}0
    within $time_limit "$station is there" test -e "/sys/class/net/$station"
}
stop_takes() { echo "$1" >/sys/module/obstinate/parameters/stop_ms; }
open_fails() { echo "$1" >/sys/module/obstinate/parameters/open_errno; }
