# If no reset brings back the interface that a device has lost, a real systemd-logind reboots the machine. (up to 900 s) (on day 2 of 8)
state_survives=yes
. "$LAB/reset-unit.sh"
reboots=/var/lib/wifi-toggler/reboots
packaged_service "$WIFI_TOGGLER_PACKAGE"
performs "logind starts" systemctl start systemd-logind
printf '%s\n' 'method = auto,reboot' 'reboot-after = 1m' >>/etc/wifi-toggler.conf
journal_mark
performs "the service starts anew" systemctl restart wifi-toggler
within 30 "it finds the link healthy" journal_says "$station: healthy"

# While this driver fails, the one that the card was made for must not take it.
device=$(realpath "/sys/class/net/$station/device")
mkdir -p /etc/modprobe.d
modprobe --resolve-alias "$(<"$device/modalias")" | sed 's/^/blacklist /' >/etc/modprobe.d/card.conf
tell "the device loses its interface, and the driver cannot start it any more"
knob probe_fails 1
knob losses 1
within $time_limit "the interface is gone" is_gone
within 120 "it is reset" journal_says 'resetting the device on its bus: the interface is gone'
[[ ! -s $reboots ]] || ! finds '^last' "$reboots" || fail "no reboot is ordered before a reset"
within 300 "the service says why it reboots the machine" \
    journal_says 'rebooting the machine, because nothing else has helped: the interface is gone'
within 120 "the machine goes down" machine_is_off
finds 'The system will reboot now' "$scratch/journal.log" || fail "logind has rebooted the machine" "$(tail -n 40 "$scratch/journal.log")"
finds "^last .* $station" "$reboots" || fail "the reboot is recorded" "$(<"$reboots")"
