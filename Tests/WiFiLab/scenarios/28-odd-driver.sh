# A driver with odd answers, or whose radio is moved to a namespace, is understood. (up to 300 s) (on day 7 of 8)
. "$LAB/hung.sh"
trap 'ip netns del away 2>/dev/null || :; rmmod hung' EXIT
# No owner runs that would join the network again by itself.
joins() {
    # The link may be down in a bounce.
    within 60 "$station connects" iw dev $station connect $network_name
    association
}
# settles: waits for two more healthy checks. An end of the association counts as a user's only after a check in which
# nothing happened.
settles() {
    local checks
    checks=$(grep -c "$station: healthy" "$scratch"/program.err || :)
    within 60 "two more checks find the link healthy" program_said $((checks + 2)) "$station: healthy"
}
bounces() { grep -c 'bouncing the link' "$scratch"/program.err || :; }

ip link set $station up
joins
static_address
tell "an access point that the driver marks as a TDLS peer is an access point"
knob marks_peer 1
toggler probe --probe none --json $station
expect_json '.verdict == "healthy"'

tell "each part of an answer takes as long as with a firmware that does not answer any more, and there is a verdict"
knob answer_ms 2500
toggler probe --probe none --json $station
expect_json '.verdict == "healthy"'
knob answer_ms 0

toggler_starts run --verbose --method auto --interval 4s --fall 2 --recheck 2s --delay 500ms --settle 5s --backoff 1s \
    --grace 0 --probe none $station
settles

tell "a user leaves the network: there is no bounce"
iw dev $station disconnect
disassociation
within 60 "the service says so" program_said 1 'of this machine left the network'
sleep 10
(($(bounces) == 0)) || fail "no bounce" "$(<"$scratch/program.err")"
joins
settles

tell "the driver leaves the network: the link is bounced"
knob leaves 1
disassociation
within 60 "it is bounced" program_said 1 'bouncing the link: not associated'

tell "a radio that is moved into another network namespace is not lost"
joins
settles
ip netns add away
iw phy "$(phy_of $station)" set netns name away
# A lost interface would be sought twice, 15 s apart, before the reset.
sleep 45
! grep -q 'resetting the device' "$scratch/program.err" || fail "no reset" "$(<"$scratch/program.err")"
ip netns exec away ip link show $station >/dev/null || fail "the interface is in the other namespace"
ip netns del away
within 60 "the interface is back" test -e /sys/class/net/$station
kill -TERM "$program"
toggler_ends 20
expect_status 0
kernel_was_quiet
