# For a service that may not write to /sys, a unit resets a radio that refuses scans. (up to 900 s) (on day 2 of 8)
. "$LAB/reset-unit.sh"
packaged_service "$WIFI_TOGGLER_PACKAGE"
has_scanned() { (($(scans_ended) > scans)); }

tell "doctor says that it may not reset the device where the unit is masked, and nothing where it is not"
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
# The access point is in range again within the settle time, so that no bounce is needed.
knob in_range 1
within 60 "the interface was made anew" has_changed
within 60 "it is healthy again" helped
has_all || fail "its address and its route are back" "$(ip route show dev "$station")"
[[ $(reset_says SubState) == exited && $(reset_says Result) == success ]] || fail "the unit has done it" "$(reset_says Result)"
! journal_says 'bouncing the link' || fail "it was not bounced"
no_records || fail "no record is left"

tell "the firmware does not survive a bounce: the unit resets the device while the link is down"
starts_afresh
before=$(index)
knob last_stops 1
knob in_range 0
disassociation
within 90 "it is reset" journal_says 'bounce: could not raise the link: Input/output error; resetting the device'
knob in_range 1
within 60 "the interface was made anew" has_changed
within 60 "it is healthy again" helped
has_all || fail "its address and its route are back" "$(ip route show dev "$station")"
[[ $(reset_says Result) == success ]] || fail "the unit has done it" "$(reset_says Result)"
no_records || fail "no record is left"

stays_away_longer
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

tell "the unit does not touch a link that a user has set down"
before=$(index)
ip link set "$station" down
machine systemctl reset-failed "$unit" 2>/dev/null || :
! machine systemctl restart "$unit" 2>/dev/null || fail "the unit has refused"
is_down && [[ $(index) == "$before" ]] || fail "the link is as it was"
ip link set "$station" up
knob refusals 0
within 60 "the link is associated" associated
ip route replace $foreign dev "$station"

tell "root's own toggle does the same, with a record in the directory of the service's user"
before=$(index)
knob last_stops 1
toggler_here toggle --delay 500ms --settle 30s --probe none --json "$station"
expect_status 0
expect_json '.methods == ["bounce", "reset"]'
has_changed && has_all || fail "its address and its route are back" "$(ip route show dev "$station")"
no_records || fail "no record is left"
