# If a link cannot be set up again after a bounce, and no reset is allowed, logind reboots the machine. (up to 900 s) (on day 1 of 8)
state_survives=yes
. "$LAB/reset-unit.sh"
reboots=/var/lib/wifi-toggler/reboots
packaged_service "$WIFI_TOGGLER_PACKAGE"
performs "logind starts" systemctl start systemd-logind
printf '%s\n' 'method = auto,reboot' 'reboot-after = 1m' >>/etc/wifi-toggler.conf
mkdir -p /etc/wifi-toggler
printf '%s\n' '[hung pci]' 'forbid = reset' >/etc/wifi-toggler/drivers.conf
journal_mark
performs "the service starts anew" systemctl restart wifi-toggler
within 30 "it finds the link healthy" journal_says "$station: healthy"
supplicant_is_slow

tell "the firmware does not survive a bounce: the link stays down, under its guard"
knob last_stops 1
knob in_range 0
disassociation
within 90 "the raise is refused" journal_says 'could not raise the link: Input/output error, trying again'
knob in_range 1
within 60 "the reset is forbidden" journal_says 'drivers.conf:1 forbids it for the driver hung'
is_down || fail "the link is down"

tell "during a hold the machine is not rebooted"
performs "an administrator sets a hold" wifi-toggler hold 1h
within 200 "the service says what prevents the reboot" journal_says "the link cannot be set up; held by 'wifi-toggler hold'"
! journal_says 'rebooting the machine' || fail "no reboot was announced"
[[ ! -s $reboots ]] || ! finds '^last' "$reboots" || fail "no reboot is ordered"

tell "when the hold has ended, the machine is rebooted"
performs "the administrator ends the hold" wifi-toggler hold 0
within 120 "the service says why it reboots the machine" \
    journal_says 'rebooting the machine, because nothing else has helped: not associated'
is_down || fail "the link is down until then"
within 120 "the machine goes down" machine_is_off
finds 'The system will reboot now' "$scratch/journal.log" || fail "logind has rebooted the machine" "$(tail -n 40 "$scratch/journal.log")"
finds "^last .* $station" "$reboots" || fail "the reboot is recorded" "$(<"$reboots")"
