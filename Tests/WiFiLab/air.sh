# The air inside the guest: an access point in a network namespace of its own, a station in the guest's, and what
# can go wrong between them. Each function returns when what its name says is so, or fails the scenario.
# shellcheck shell=bash disable=SC2034 # sourced; variables are for the scenarios

scratch=/run/scenario
station=wlan1
station_address=10.77.0.2
gateway=10.77.0.1
# The access point's link that bears the gateway's address.
gateway_link=wlan0
network_name=lab
# Pre-shared keys as 256 bits: deriving one from a passphrase takes seconds on an emulated processor.
pre_shared_key=$(printf '5a%.0s' {1..32})
wrong_key=$(printf 'a5%.0s' {1..32})
# The access point's channel 1 in MHz: a supplicant that knows it need not scan the others (about four seconds); empty:
# it does not know.
frequency=2412
patience=20

# finds [OPTION] PATTERN: like grep -q, but it reads to the end: else who still writes would die of it, and with
# `pipefail` what was found counts as not found.
finds() { grep "$@" >/dev/null; }

in_access_point() { ip netns exec ap "$@"; }
state_of() { cat "/sys/class/net/$1/operstate"; }
rfkill_of() { basename "/sys/class/ieee80211/$(phy_of "$1")"/rfkill* | tr -dc '0-9'; }
phy_of() { cat "/sys/class/net/$1/phy80211/name"; }
mac_of() { cat "/sys/class/net/$1/address"; }

## The access point

# radios: gives the access point its radio, in the namespace `ap`; packets between the two must cross the air.
radios() {
    ip netns add ap
    iw phy "$(phy_of wlan0)" set netns name ap
    ip -n ap link set lo up
    gateway_speaks
}

# access_point [LINE]...: more lines for its configuration; the later one of two counts.
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
$(printf '%s\n' "$@")
END
    # Not through the function: its process is to be the one that is killed.
    ip netns exec ap hostapd -t "$scratch/hostapd.conf" >>"$scratch/hostapd.log" 2>&1 &
    echo $! >"$scratch/hostapd.pid"
    within $patience "the access point is in the air" in_access_point grep -q up /sys/class/net/wlan0/operstate
}

# Vanishes without a word: the station hears no deauthentication, only silence.
access_point_dies() {
    local process
    process=$(<"$scratch/hostapd.pid")
    kill -KILL "$process"
    wait "$process" 2>/dev/null || :
}

# The kernel's entry goes, hostapd's stays: frames of the station are dropped, and nobody tells it.
access_point_forgets_station() {
    in_access_point iw dev wlan0 station del "$(mac_of $station)"
}

# Out of reach of each other's radio; back again.
out_of_range() { echo 2 >"/sys/kernel/debug/ieee80211/$(phy_of $station)/hwsim/group"; }
in_range() { echo 1 >"/sys/kernel/debug/ieee80211/$(phy_of $station)/hwsim/group"; }

# The association stays, the gateway's address does not answer any more.
gateway_mutes() { ip -n ap address flush dev $gateway_link; }
gateway_speaks() { ip -n ap address add $gateway/24 dev $gateway_link; }

# The gateway lives, but does not answer ICMP echo.
gateway_ignores_echo() { in_access_point sh -c 'echo 1 >/proc/sys/net/ipv4/icmp_echo_ignore_all'; }

dhcp_server() {
    ip netns exec ap dnsmasq --keep-in-foreground --conf-file=/dev/null --no-hosts --no-resolv --port=0 \
        --interface=wlan0 --bind-dynamic --dhcp-authoritative --dhcp-range=10.77.0.100,10.77.0.150,10m \
        --dhcp-leasefile="$scratch/leases" --log-dhcp --log-facility="$scratch/dnsmasq.log" &
}

## The station

# supplicant [KEY]
supplicant() {
    cat >"$scratch/wpa_supplicant.conf" <<END
ctrl_interface=/run/wpa_supplicant
p2p_disabled=1
network={
    ssid="$network_name"
    psk=${1:-$pre_shared_key}
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

# The supplicant looks for its network again only after so long, and so does not heal the link before we do.
supplicant_is_slow() { wpa_cli -i $station scan_interval 300 >/dev/null; }

# It has tried the access point that it knew, in vain, and one more scan; now it sleeps.
supplicant_gave_up() { sed '1,/auth: timed out/d' "$scratch/wireless.trace" | finds 'scan finished'; }

operational() { [[ $(state_of $station) == up ]]; }
# The carrier comes with the association; a link that is down has none to read.
associated() { [[ $({ echo "$(<"/sys/class/net/$station/carrier")"; } 2>/dev/null) == 1 ]]; }
not_associated() { ! associated; }
association() { within $patience "$station is associated and has its keys" operational; }
disassociation() { within $patience "$station has lost its access point" not_associated; }

static_address() { ip address add $station_address/24 dev $station; }
has_default_route() { [[ $(ip route show default dev $station) ]]; }
default_route() { ip route replace default via $gateway dev $station; }

# A healthy link as an administrator would set it up by hand.
static_station() {
    supplicant
    association
    static_address
    default_route
    pings
}

# A healthy link with everything from a lease.
dhcp_station() {
    supplicant
    association
    # Without looking for others with the same address (ARP, five seconds).
    printf 'noarp\nnoipv4ll\nnohook resolv.conf, hostname, timesyncd\n' >"$scratch/dhcpcd.conf"
    dhcpcd --nobackground --config "$scratch/dhcpcd.conf" --ipv4only "$station" >>"$scratch/dhcpcd.log" 2>&1 &
    pings
}

answers() { ping -q -c 1 -W 1 -I $station $gateway >/dev/null 2>&1; }
silent() { ! answers; }
pings() { within ${1:-$patience} "$gateway answers through the air" answers; }
no_ping() { within $patience "$gateway does not answer any more" silent; }

## Other links

# driver NAME: one of ours (`drivers/`); its link NAME0 is the station from now on.
driver() {
    rmmod "$1" 2>/dev/null || :
    insmod "$LAB_CACHE/drivers/$1.ko"
    station=${1}0
    within $patience "$station is there" test -e "/sys/class/net/$station"
}
stop_takes() { echo "$1" >/sys/module/obstinate/parameters/stop_ms; }
open_fails() { echo "$1" >/sys/module/obstinate/parameters/open_errno; }
