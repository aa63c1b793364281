# iwd that lists no device any more is restarted, and the link comes back. (up to 500 s) (on day 5 of 8)
. "$LAB/machine.sh"

is_connected() { machine iwctl station "$station" show | finds 'State *connected'; }
# replaced: iwd loses its device.
replaced() {
    process=$(main_process iwd)
    replace_interface
    within $time_limit "iwd lists no device" iwd_lists_none
}

managed_network
machine_starts
wireless_daemon_files yes
performs "the bus and iwd start" systemctl start dbus iwd
within $((time_limit * 2)) "iwd has made its link" iwd_has_link
within $time_limit "iwd says that it is connected" is_connected
pings
[[ ! $(owner_findings) ]] || fail "doctor has no finding about iwd" "$(<"$scratch/program.out")"

tell "iwd lists a link that is down, and is not restarted"
ip link set "$station" down
within $time_limit "the link is listed" iwd_lists_device
[[ ! $(owner_findings) ]] || fail "doctor has no finding about iwd" "$(<"$scratch/program.out")"
ip link set "$station" up
within $time_limit "iwd is connected again" is_connected

tell "reconnect leaves a new interface alone if no earlier run has found it healthy"
replaced
recovers --recheck 1
expect_status 2
[[ $(main_process iwd) == "$process" ]] || fail "iwd is left alone"
performs "iwd starts again" systemctl restart iwd
within $time_limit "iwd says that it is connected" is_connected
pings

tell "otherwise reconnect restarts iwd, and follows the interface that iwd makes anew"
recovers --recheck 1
expect_status 0
replaced
recovers --recheck 1
expect_restart iwd 'iwd answers, but has lost its devices'
within 60 "iwd lists its device" iwd_lists_device
within $time_limit "iwd says that it is connected" is_connected
pings
recovers --recheck 1
expect_status 0

tell "iwd hangs, and systemd does not restart it by itself: reconnect does, after iwd's end has removed the interface"
stays_dead iwd
process=$(main_process iwd)
machine kill -STOP "$process"
ip address flush dev "$station" scope global
recovers --recheck 1
expect_restart iwd 'iwd runs, and does not answer'
pings

tell "another interface takes the place of iwd's: the service restarts iwd"
journal_mark
performs "the service starts" systemd-run --unit=watching "$WIFI_TOGGLER" run --interval 2 --recheck 1 --fall 2 --grace 0 --backoff 0 --settle 40s "$station"
within 30 "it finds the link healthy" journal_says 'healthy'
replaced
[[ $(owner_findings) == 'owner-lost-devices iwd answers, but has lost its devices' ]] ||
    fail "doctor finds it" "$(<"$scratch/program.out")"
within 90 "it says so" journal_says 'iwd answers, but has lost its devices'
journal_mark
# iwd makes an interface of its own when it starts, so the program sees a new link.
within 60 "iwd was restarted, and lists its device" iwd_lists_device
[[ $(main_process iwd) != "$process" ]] || fail "iwd was restarted"
within $time_limit "iwd says that it is connected" is_connected
pings
within 30 "the service finds the link healthy" journal_says 'healthy'
performs "the service ends" systemctl stop watching
