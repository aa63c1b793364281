# The service of the package, which may not write to /sys, has the device of a radio that refuses reset by a unit. (up to 900 s) (on day 2 of 8)
. "$LAB/machine.sh"
# udev does not rename the card, whose name is the driver's.
machine_files_alone() { mkdir -p /etc/systemd/network && ln -sf /dev/null /etc/systemd/network/99-default.link; }
unpacked_managers
machine_files
machine_files_alone
. "$LAB/hung.sh"
is_gone() { [[ ! -e /sys/class/net/$station ]]; }
is_there() { ! is_gone; }
has_changed() { is_there && [[ $(index) != "$before" ]]; } 2>/dev/null
has_all() { [[ $(ip -4 address show dev "$station") == *"$station_address"* && $(ip route show $foreign dev "$station") ]]; } 2>/dev/null
foreign=198.51.100.0/24
configure() {
    printf '%s\n' '[default]' 'interval = 4s' 'fall = 2' 'recheck = 2s' 'delay = 500ms' 'settle = 40s' 'backoff = 1s' \
        'budget = 20' 'grace = 0' 'probe = none' "$@" >/etc/wifi-toggler.conf
}
unit=wifi-toggler-reset@$station.service
reset_says() { machine systemctl show --property "$1" --value "$unit"; }
# helped: whether the service has said since the mark that a bounce or reset has helped.
helped() { journal_says 'back .* after the raise: healthy'; }
has_scanned() { (($(scans_ended) > scans)); }
# starts_afresh: starts the service anew, without the resets of the other steps, which are more than the limits of the
# service and of systemd allow.
starts_afresh() {
    machine systemctl stop wifi-toggler
    sed -i '/^restarted /d' /var/lib/wifi-toggler/*.limiter
    machine systemctl reset-failed "$unit" 2>/dev/null || :
    journal_mark
    performs "the service starts" systemctl start wifi-toggler
    within 30 "it finds the link healthy" journal_says "$station: healthy"
    supplicant_is_slow
    journal_mark
}
no_records() { [[ ! $(machine find /run/wifi-toggler /run/wifi-toggler-reset -name '*.intent' -o -name '*.settling') ]]; }
another_runs() { unit_is active && [[ $(unit_says MainPID) != "$process" ]]; }

grep -q '^polkitd:' /etc/passwd ||
    { echo 'polkitd:x:198:198::/nonexistent:/usr/sbin/nologin' >>/etc/passwd; echo 'polkitd:x:198:' >>/etc/group; }
machine_boots ''
supplicant
association
supplicant_is_slow
static_address
ip route replace $foreign dev "$station"

performs "the bus starts" systemctl start dbus
performs "the package is installed" dpkg --no-triggers --install "$WIFI_TOGGLER_PACKAGE"
configure
journal_mark
performs "the service starts" systemctl start wifi-toggler
is_held_to Uid="$(machine id -u wifi-toggler)" CapEff=0000000000001000 CapBnd=0000000000001000 NoNewPrivs=1 Seccomp=2
within 30 "it finds the link healthy" journal_says "$station: healthy"

tell "doctor says that it may not reset the device where the unit is masked, and nothing where it is not"
findings() {
    toggler_here doctor --json "$station"
    jq -r 'select(.finding == "may-not-reset" or .finding == "forbidden-methods").finding' "$scratch/program.out"
}
[[ ! $(findings) ]] || fail "no finding about the reset" "$(<"$scratch/program.out")"
machine systemctl --quiet mask 'wifi-toggler-reset@.service'
[[ $(findings) == may-not-reset ]] || fail "doctor says that it may not reset" "$(<"$scratch/program.out")"
machine systemctl --quiet unmask 'wifi-toggler-reset@.service'

tell "the firmware crashes: the unit resets the device, and the service restores what the link had"
before=$(index) scans=$(scans_ended)
knob in_range 0
disassociation
within $time_limit "the supplicant has looked for it" has_scanned
knob crashes 1
within 60 "it is reset" journal_says 'resetting the device on its bus: not associated .*has recorded a crash of the device'
# In range before the service has settled, so that it need not bounce.
knob in_range 1
within 60 "the interface was made anew" has_changed
within 60 "it is healthy again" helped
has_all || fail "its address and its route are back" "$(ip route show dev "$station")"
[[ $(reset_says SubState) == exited && $(reset_says Result) == success ]] || fail "the unit has done it" "$(reset_says Result)"
! journal_says 'bouncing the link' || fail "it was not bounced"
no_records || fail "no record is left"

# On a busy machine, three seconds are over before a process inside the machine is killed.
start=$(machine systemctl cat 'wifi-toggler-reset@.service' | sed -n '/^ExecStart=/,/%I$/p')
[[ $start == *'--delay 3s'* ]] || fail "the unit keeps the device away for three seconds" "$start"
mkdir -p /etc/systemd/system/wifi-toggler-reset@.service.d
printf '%s\n' '[Service]' 'ExecStart=' "${start/--delay 3s/--delay 12s}" >/etc/systemd/system/wifi-toggler-reset@.service.d/lab.conf
machine systemctl daemon-reload

for whom in main all; do
    tell "the service is killed while the device is away: $whom"
    starts_afresh
    process=$(unit_says MainPID)
    radio_hangs
    within 90 "the device is away" is_gone
    machine systemctl kill --signal=KILL --kill-whom=$whom wifi-toggler
    is_gone || fail "the device is still away"
    within 120 "the interface is back" has_changed
    within 60 "with its address and its route" has_all
    within 60 "no record is left" no_records
    within 60 "another service is there" another_runs
    [[ $(reset_says Result) == success ]] || fail "the unit was not disturbed" "$(reset_says Result)"
    knob refusals 0
    within 60 "the link is associated" associated
    within 30 "the new service finds the link healthy" journal_says "$station: healthy"
done

tell "the unit is killed while the device is away: its guard gives the device back"
starts_afresh
radio_hangs
within 90 "the device is away" is_gone
machine kill -KILL "$(reset_says MainPID)"
within 60 "it was killed before it gave the device back" \
    journal_says 'the program died in the middle of a bounce; its guard raised the link'
within 120 "the interface is back" has_changed
within 60 "it is healthy again" helped
has_all || fail "its address and its route are back" "$(ip route show dev "$station")"
[[ $(reset_says Result) == signal ]] || fail "the unit was killed" "$(reset_says Result)"
within 30 "no record is left" no_records

tell "the unit and its guard are killed: systemd has the device given back"
starts_afresh
radio_hangs
within 90 "the device is away" is_gone
machine systemctl kill --signal=KILL --kill-whom=all "$unit"
within 120 "the interface is back" has_changed
within 60 "it is healthy again" helped
has_all || fail "its address and its route are back" "$(ip route show dev "$station")"
within 30 "no record is left" no_records

tell "systemd refuses to start it, as without polkit: the link is bounced"
mv /usr/share/polkit-1/rules.d/60-wifi-toggler.rules "$scratch/"
machine systemctl try-restart polkit
starts_afresh
radio_hangs
within 90 "it says why" journal_says 'reset: .*systemctl ended with status [0-9]*: .*wifi-toggler-reset@'
within 90 "it bounces" journal_says 'bouncing the link\|link down, kept down'
[[ $(index) == "$before" ]] || fail "the device was not reset"

performs "the service stops" systemctl stop wifi-toggler
