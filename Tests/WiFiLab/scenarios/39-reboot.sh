# If nothing else helps against a dead gateway, a real systemd-logind reboots the machine. (up to 900 s) (on day 6 of 8)
. "$LAB/machine.sh"
state_survives=yes

service=(run --interval 2 --recheck 1 --fall 2 --delay 500ms --settle 2s --grace 0 --method 'bounce,reboot' --reboot-after 1m)
watches() { performs "the service starts" systemd-run --unit=watching "$WIFI_TOGGLER" "${service[@]}" "$@" "$station"; }
# history_says PATTERN: the history of the link has a line that matches.
history_says() {
    machine "$WIFI_TOGGLER" history "$station" >"$scratch/history" 2>&1
    finds -- "$1" "$scratch/history" || fail "the history says $1" "$(<"$scratch/history")"
    tell "the history says $1"
}
# boots ID: boots the machine with this ID of the boot, and brings its link up.
boots() {
    echo "$1-1111-4222-8333-444455556666" >"$scratch/boot.$1"
    machine_boots "$scratch/boot.$1"
    journal_mark
    performs "the bus starts" systemctl start dbus
    performs "logind starts" systemctl start systemd-logind
    machine_supplicant
    association
    ip address replace $station_address/24 dev $station
    default_route
}

managed_network
unpacked_managers
machine_files
boots 11111111
pings

tell "a dry run tells when it would reboot the machine"
watches --dry-run
within 30 "the link is healthy" journal_says 'healthy'
gateway_mutes
within 120 "the dry run would reboot" journal_says 'dry run: the machine would be rebooted now'
performs "the dry run ends" systemctl stop watching
gateway_speaks
pings

tell "while a program inhibits shutdown, the machine is not rebooted"
performs "the program inhibits shutdown" systemd-run --unit=inhibiting systemd-inhibit --what=shutdown --mode=block sleep infinity
journal_mark
watches
within 30 "the service finds the link healthy" journal_says 'healthy'
gateway_mutes
within 150 "the service says what prevents the reboot" journal_says 'a program inhibits shutdown'
journal_says 'rebooting the machine' || fail "no reboot was announced"
finds '^last' /var/lib/wifi-toggler/reboots && fail "a reboot that was not begun does not count"

tell "once nothing inhibits shutdown, the machine is rebooted"
performs "the program ends" systemctl stop inhibiting
within 300 "the machine goes down" machine_is_off
finds 'The system will reboot now' "$scratch/journal.log" || fail "logind has rebooted the machine" "$(tail -n 40 "$scratch/journal.log")"
finds '^last 11111111.* wlan' /var/lib/wifi-toggler/reboots && finds '^ago [0-9]*$' /var/lib/wifi-toggler/reboots ||
    fail "the reboot is recorded" "$(</var/lib/wifi-toggler/reboots)"

tell "the machine starts again, and the gateway answers"
gateway_speaks
boots 22222222
pings
watches
within 30 "the service says that the machine was rebooted" journal_says 'the machine was rebooted because of this link: sick at layer gateway'
within 60 "the service says that the reboot has helped" journal_says 'the reboot has helped: healthy'
history_says 'rebooting'
history_says 'tried reboot'

tell "the gateway dies again on the same day: the machine is not rebooted"
gateway_mutes
within 150 "the service says why not" journal_says 'at most once a day'
[[ -e /proc/$machine ]] || fail "the machine goes on"
machine "$WIFI_TOGGLER" status "$station" >"$scratch/status" 2>&1 || :
finds 'at most once a day' "$scratch/status" || fail "the status says why not" "$(<"$scratch/status")"
