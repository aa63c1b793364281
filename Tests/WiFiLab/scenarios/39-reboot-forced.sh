# A systemd-logind that hangs: with the drop-ins for this, the packaged service reboots by force. (up to 900 s) (on day 3 of 8)
. "$LAB/machine.sh"
reboots=/var/lib/wifi-toggler/reboots
state_survives=yes

access_point
machine_with_station
performs "the bus starts" systemctl start dbus
performs "logind starts" systemctl start systemd-logind
performs "the package is installed" dpkg --no-triggers --install "$WIFI_TOGGLER_PACKAGE"
printf '%s\n' '[default]' 'interval = 2s' 'fall = 2' 'recheck = 1s' 'delay = 500ms' 'settle = 2s' 'grace = 0' \
    'method = bounce,reboot' 'reboot-after = 1m' >/etc/wifi-toggler.conf
for drop_in in root reboot; do
    install -D -m 644 "$LAB/../../contrib/systemd/$drop_in.conf" "/etc/systemd/system/wifi-toggler.service.d/$drop_in.conf"
done
machine systemctl daemon-reload
journal_mark
performs "the service starts" systemctl start wifi-toggler
# CAP_SYS_BOOT, CAP_NET_RAW, CAP_NET_ADMIN, CAP_SETUID, CAP_SETGID and CAP_KILL.
is_held_to Uid=0 CapEff=00000000004030e0 CapBnd=00000000004030e0 NoNewPrivs=1 Seccomp=2
within 30 "it finds the link healthy" journal_says "$station: healthy"

tell "logind hangs, and the gateway dies"
machine systemctl kill --signal=STOP systemd-logind
gateway_mutes
within 150 "the service announces the reboot" journal_says 'rebooting the machine, because nothing else has helped'
[[ -e /proc/$machine ]] || fail "the machine still runs"
within 240 "the machine goes down" machine_is_off
! finds 'The system will reboot now' "$scratch/journal.log" || fail "the reboot is not logind's" "$(tail -n 40 "$scratch/journal.log")"
finds "^last .* $station" "$reboots" || fail "the reboot is recorded" "$(<"$reboots")"
