# The network managers in the guest. Each file of `managers/` sets up one of them, as its users usually do.
#
# The first line of such a file is the manager's name. The file has the functions
#   manage      starts the manager, with the access point that `managed_network` made; the link need not be there yet
#   says_so     whether the manager itself says that it is connected
#   leave       disconnects, as a user would
#   rejoin      connects again
# and may have the function
#   again       requests the first connection once more, because it may fail on an overloaded machine
#   gave_up     whether the manager does not try to connect any more
# and may set the variables
#   beat        the seconds from one bounce of the plain timer to the next, which must be longer than the manager needs
#               to reconnect
#   scans       `all` if the manager scans all channels for its network, so that fast reconnect can abort the scan
#   foreign     an address that is not the manager's
#   foreign_local  a link-local IPv6 address that is not the manager's, or empty for none
#   unsteady    a pattern for grep -E: addresses and routes that the manager has only sometimes
# shellcheck shell=bash disable=SC2034,SC2154 # sourced after expect.sh

gateway6=fd77::1
time_limit=60

## The machine

# Mounts the packages that `prepare` has unpacked over this machine's own directories, for this scenario only. Changes
# there are lost with the scenario. A guest with files of its own already has these packages.
unpacked_managers() {
    local folder layers=$scratch/layers unpacked=$LAB_CACHE/unpacked
    [[ ! ${WIFI_TOGGLER_ROOT-} ]] || unpacked=''
    rm -rf /run/{dbus,udev,systemd/netif,NetworkManager,connman,network,wpa_supplicant,resolvconf}
    [[ ! -e $layers ]] || return 0
    # The kernel's modules are a separate mount below the directories that are covered.
    mkdir -p "$layers/modules"
    mount --rbind /lib/modules "$layers/modules"
    for folder in usr etc var; do
        mkdir -p "$layers/$folder" "$layers/.$folder"
        mount -t overlay unpacked "/$folder" \
            -o "lowerdir=${unpacked:+$unpacked/$folder:}/$folder,upperdir=$layers/$folder,workdir=$layers/.$folder"
    done
    mkdir -p /lib/modules
    mount --rbind "$layers/modules" /lib/modules
}

# Starts a D-Bus on which everybody may own every name: access rights are not tested here.
bus() {
    mkdir -p /run/dbus
    cat >"$scratch/bus.conf" <<'END'
<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
    <type>system</type>
    <listen>unix:path=/run/dbus/system_bus_socket</listen>
    <auth>EXTERNAL</auth>
    <policy context="default">
        <allow user="*"/> <allow own="*"/> <allow send_destination="*"/> <allow receive_sender="*"/>
    </policy>
</busconfig>
END
    dbus-daemon --config-file="$scratch/bus.conf" --nofork --nopidfile >>"$scratch/bus.log" 2>&1 &
    within $time_limit "the bus is there" test -S /run/dbus/system_bus_socket
}

# Starts udev, which announces links and rfkill switches to processes that wait for it.
device_manager() {
    /usr/lib/systemd/systemd-udevd >>"$scratch/udev.log" 2>&1 &
    within $time_limit "the device manager listens" test -S /run/udev/control
    udevadm trigger --action=add --subsystem-match=net --subsystem-match=rfkill --subsystem-match=ieee80211
    udevadm settle --timeout=$time_limit
}

## The network

# Sets up leases of ten minutes, and router advertisements every ten seconds. The gateway must set the router flag in
# its neighbour advertisements, too. Otherwise each neighbour advertisement makes the station's kernel remove the
# default route (RFC 4861, 7.2.5).
managed_network() {
    access_point
    in_access_point sh -c 'echo 1 >/proc/sys/net/ipv6/conf/all/forwarding'
    ip -n ap address add $gateway6/64 dev wlan0 nodad
    ip netns exec ap dnsmasq --keep-in-foreground --conf-file=/dev/null --no-hosts --no-resolv --port=0 \
        --interface=wlan0 --bind-dynamic --dhcp-authoritative --dhcp-range=10.77.0.100,10.77.0.150,10m \
        --enable-ra --ra-param=wlan0,10,1800 --dhcp-range=::,constructor:wlan0,ra-only --dhcp-leasefile="$scratch/leases" --pid-file= \
        --log-dhcp --log-facility="$scratch/dnsmasq.log" &
}

# lease_server: starts a DHCP server without IPv6, whose leases last for `lease`. dnsmasq gives no shorter leases than
# two minutes.
lease=2m
lease_server() {
    ip netns exec ap dnsmasq --keep-in-foreground --conf-file=/dev/null --no-hosts --no-resolv --port=0 \
        --interface=wlan0 --bind-dynamic --dhcp-authoritative --dhcp-range=10.77.0.100,10.77.0.150,$lease \
        --dhcp-leasefile="$scratch/leases" --pid-file= --log-dhcp --log-facility="$scratch/dnsmasq.log" &
    lease_server=$!
}
has_no_address() { [[ ! $(ip -4 address show dev "$station" to 10.77.0.0/24) ]]; }

## The managers' common parts

connman_files() {
    mkdir -p /var/lib/connman
    printf '[WiFi]\nEnable=true\nTethering=false\n' >/var/lib/connman/settings
    printf '[service_lab]\nType=wifi\nName=%s\nPassphrase=%s\n' $network_name "$pre_shared_key" \
        >/var/lib/connman/lab.config
}

supplicant_on_bus() { wpa_supplicant -t -u -s -O /run/wpa_supplicant >>"$scratch/supplicant.log" 2>&1 & }
supplicant_says_so() { wpa_cli -i $station status | finds '^wpa_state=COMPLETED'; }
supplicant_leaves() { wpa_cli -i $station disconnect >/dev/null; }
supplicant_rejoins() { wpa_cli -i $station reconnect >/dev/null; }

# wireless_daemon_files yes|no: writes the files of an iwd with or without its own DHCP client, and loads what it needs.
wireless_daemon_files() {
    modprobe -a algif_hash algif_skcipher cmac ecb 2>/dev/null || :
    mkdir -p /etc/iwd /var/lib/iwd
    printf '[General]\nEnableNetworkConfiguration=%s\n[Network]\nNameResolvingService=none\nEnableIPv6=true\n' \
        "$([[ $1 == yes ]] && echo true || echo false)" >/etc/iwd/main.conf
    printf '[Security]\nPreSharedKey=%s\n' "$pre_shared_key" >/var/lib/iwd/$network_name.psk
    chmod 600 /var/lib/iwd/$network_name.psk
    first_index=$(<"/sys/class/net/$station/ifindex")
}
# wireless_daemon yes|no: starts iwd. iwd replaces the link by a new one.
wireless_daemon() {
    wireless_daemon_files "$1"
    /usr/libexec/iwd >>"$scratch/iwd.log" 2>&1 &
    # The kernel tests each algorithm before iwd may use it. On an emulated processor this takes long.
    within $((time_limit * 2)) "iwd has made its link" iwd_has_link
}
iwd_has_link() {
    local link index
    for link in /sys/class/net/wlan*; do
        { read -r index <"$link/ifindex"; } 2>/dev/null || continue
        [[ $index == "$first_index" ]] || { station=${link##*/}; return; }
    done
    return 1
}
iwd_again() { iwctl station $station connect $network_name >/dev/null 2>&1 & }
iwd_says_so() { iwctl station $station show | finds 'State *connected'; }
iwd_leaves() { iwctl station $station disconnect; }
iwd_rejoins() { iwctl station $station connect $network_name; }

# network_manager_files BACKEND LINE...: writes NetworkManager's files in /etc, with the lines in the section
# [connectivity], and a profile with an additional route.
network_manager_files() {
    mkdir -p /etc/NetworkManager/system-connections
    printf '%s\n' '[main]' plugins=keyfile dhcp=internal dns=none no-auto-default='*' auth-polkit=false \
        '[connectivity]' "${@:2}" '[device]' "wifi.backend=$1" \
        '[keyfile]' 'unmanaged-devices=interface-name:eth0;interface-name:hwsim0' >/etc/NetworkManager/NetworkManager.conf
    printf '%s\n' '[connection]' id=$network_name uuid=6e0f7b1c-8c43-4a5e-9d3a-0f6f2d6d2b11 type=wifi \
        '[wifi]' ssid=$network_name mode=infrastructure '[wifi-security]' key-mgmt=wpa-psk psk=$pre_shared_key \
        '[ipv4]' method=auto 'route1=192.0.2.0/25,10.77.0.1' '[ipv6]' method=auto addr-gen-mode=eui64 \
        >/etc/NetworkManager/system-connections/$network_name.nmconnection
    chmod 600 /etc/NetworkManager/system-connections/$network_name.nmconnection
}
network_manager() {
    mkdir -p /run/NetworkManager /var/lib/NetworkManager
    network_manager_files "$1" enabled=false
    NetworkManager --no-daemon >>"$scratch/NetworkManager.log" 2>&1 &
}
nm_says_so() { [[ $(nmcli -g GENERAL.STATE device show $station) == '100 (connected)' ]]; }
nm_again() { nmcli connection up $network_name >/dev/null 2>&1 & }
nm_leaves() { nmcli device disconnect $station >/dev/null; }
nm_rejoins() { nmcli device connect $station >/dev/null; }

networkd_files() {
    mkdir -p /etc/systemd/network
    printf '%s\n' '[Match]' 'Name=wlan*' '[Network]' DHCP=ipv4 IPv6AcceptRA=yes \
        '[Route]' Destination=192.0.2.0/25 Gateway=_dhcp4 >/etc/systemd/network/10-lab.network
}
networkd() {
    networkd_files
    mkdir -p /run/systemd/netif/{links,leases,lldp}
    chown -R systemd-network: /run/systemd/netif
    SYSTEMD_LOG_TARGET=console /usr/lib/systemd/systemd-networkd >>"$scratch/networkd.log" 2>&1 &
}
networkd_says_so() { networkctl --no-pager --no-legend list $station | finds 'routable *configured'; }

## Addresses and routes that are not the manager's

foreign_local=fe80::77 unsteady=''

# Adds routes and addresses beside the manager's, as an administrator does.
foreign_additions() {
    ip address add $foreign dev $station
    ip address add fd77::7/64 dev $station nodad
    [[ ! $foreign_local ]] || ip address add $foreign_local/64 dev $station nodad
    ip route add 198.51.100.0/24 via $gateway dev $station proto static metric 7
    ip route add 203.0.113.0/24 dev $station proto static table 100
    ip route add 2001:db8:7::/48 via $gateway6 dev $station proto static metric 7
}

# Prints all addresses and routes of the link, from the manager and from others. Leaves out lifetimes, which count down,
# and hop limits, which networkd may or may not add to the routes from an advertisement.
belongings() {
    {
        ip -4 route show table all dev $station
        ip -6 route show table all dev $station
        {
            ip -oneline address show dev $station scope global
            [[ ! $foreign_local ]] || ip -oneline address show dev $station to $foreign_local
        } | sed 's/\\.*//; s/^[0-9]*: //'
    } | grep -vE '^(local|broadcast|multicast|anycast|fe80|ff00)| linkdown|proto kernel'"${unsteady:+|$unsteady}" |
        sed -E 's/ expires [0-9]+sec//; s/ (dynamic|mngtmpaddr|noprefixroute|deprecated|tentative)//g; s/ hoplimit [0-9]+//; s/ +/ /g; s/ $//' | sort
}
