# iwd that lists no device any more is restarted also if NetworkManager uses it. (up to 400 s) (on day 2 of 8)
. "$LAB/machine.sh"

# connected: whether NetworkManager reports that the station is connected.
connected() { [[ $(machine nmcli -g GENERAL.STATE device show "$station") == '100 (connected)' ]]; }

managed_network
machine_starts
wireless_daemon_files no
network_manager_files iwd enabled=false
# Debian enables the unit of wpa_supplicant, which then runs without an interface.
performs "the bus, wpa_supplicant and iwd start" systemctl start dbus wpa_supplicant iwd
within $((time_limit * 2)) "iwd has made its link" iwd_has_link
performs "NetworkManager starts" systemctl start NetworkManager
within $((time_limit * 2)) "NetworkManager is connected" connected
pings
doctor_is_content
recovers --recheck 1
expect_status 0

tell "another interface takes the place of iwd's"
process=$(main_process iwd)
manager=$(main_process NetworkManager)
replace_interface
within $time_limit "iwd lists no device" iwd_lists_none
[[ $(owner_findings) == 'owner-lost-devices iwd answers, but has lost its devices' ]] ||
    fail "doctor finds it" "$(<"$scratch/program.out")"

tell "reconnect restarts iwd, and NetworkManager connects again by itself"
recovers --recheck 1
expect_restart iwd 'iwd answers, but has lost its devices'
[[ $(main_process NetworkManager) == "$manager" ]] || fail "NetworkManager is left alone"
within $time_limit "iwd lists its device" iwd_lists_device
within $time_limit "NetworkManager is connected" connected
pings
doctor_is_content
