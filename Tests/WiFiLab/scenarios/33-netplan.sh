# wpa_supplicant in the unit that netplan makes for systemd-networkd hangs or dies: it is restarted. (up to 300 s) (on day 4 of 8)
. "$LAB/machine.sh"

unit=netplan-wpa-$station.service

access_point
machine_starts
# As netplan writes them. The socket of such a wpa_supplicant is open to root alone.
cat >"/etc/netplan-wpa-$station.conf" <<END
ctrl_interface=/run/wpa_supplicant
network={
    ssid="$network_name"
    key_mgmt=WPA-PSK
    psk=$pre_shared_key
}
END
cat >"/etc/systemd/system/$unit" <<END
[Unit]
Description=WPA supplicant for netplan $station
[Service]
Type=simple
ExecStart=/sbin/wpa_supplicant -c /etc/netplan-wpa-$station.conf -i$station -Dnl80211
END
performs "systemd reads the unit" systemctl daemon-reload
performs "the unit starts" systemctl start "$unit"
association
static_address
default_route
pings

tell "it hangs when the access point restarts"
process=$(main_process "$unit")
machine kill -STOP "$process"
loses_access_point
recovers
expect_restart "$unit" 'wpa_supplicant runs, and does not answer'
pings

tell "it is killed, and its unit has failed"
rm /var/lib/wifi-toggler/*.limiter
process=$(main_process "$unit")
machine kill -KILL "$process"
loses_access_point
recovers
expect_restart "$unit" 'the service of wpa_supplicant has failed'
pings
