# A driver that leaves the network, answers slowly, or calls its access point a TDLS peer is understood. (on day 7 of 8)
. "$LAB/hung.sh"
trap 'rmmod hung' EXIT
# No owner runs that would join the network again by itself.
joins() {
    iw dev $station connect $network_name
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

toggler_starts run --verbose --method auto --interval 4s --fall 2 --recheck 2s --delay 500ms --settle 5s --backoff 60s \
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
kill -TERM "$program"
toggler_ends 20
expect_status 0
kernel_was_quiet
