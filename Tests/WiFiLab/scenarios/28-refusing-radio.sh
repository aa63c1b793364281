# A radio whose firmware hangs or crashes is reset on its bus, and not bounced; one refusal causes no reset. (up to 400 s) (on day 5 of 8)
. "$LAB/hung.sh"
trap 'rmmod hung' EXIT
knob_is() { [[ $(<"/sys/module/hung/parameters/$1") == "$2" ]]; }
# When the network is lost, the supplicant scans for it once. It must not scan again until the program has set the link
# down; otherwise its scans could use up the refusals that are meant for the program's scans.
joins() {
    supplicant
    association
    supplicant_is_slow
    static_address
}
has_scanned() { (($(scans_ended) > before)); }
# leaves_range: takes the access point out of range, and waits until the supplicant has scanned for it.
leaves_range() {
    before=$(scans_ended)
    knob in_range 0
    disassociation
    within $time_limit "the supplicant has looked for it" has_scanned
}
resets() { cat "$scratch"/program.{out,err} | grep -c 'resetting the device' || :; }
# resets_are COUNT: expects this many resets so far.
resets_are() { (($(resets) == $1)) || fail "$1 resets" "$(<"$scratch/program.err")"; }

joins
toggler_starts run --verbose --method auto --interval 4s --fall 4 --recheck 2s --delay 500ms --settle 40s --backoff 1s \
    --budget 20 --grace 0 --probe none $station
within 20 "the link is healthy" program_said 1 "$station: healthy"

tell "one refused scan, and then one that works: a bounce"
leaves_range
knob refusals 1
knob scan_errno 52
within 60 "the link is bounced" program_said 1 'link down, kept down'
knob_is refusals 0 || fail "the program's scan was refused once"
knob in_range 1
within 40 "it is healthy again" program_said 1 'back .* after the raise: healthy'
resets_are 0

tell "EBUSY, because another program scans: a bounce"
knob scan_errno 0
supplicant_is_slow
leaves_range
knob scan_ms 100000
iw dev $station scan trigger freq $frequency
within 60 "the link is bounced" program_said 2 'link down, kept down'
knob scan_ms 50
knob in_range 1
within 40 "it is healthy again" program_said 2 'back .* after the raise: healthy'
resets_are 0

tell "the firmware crashes, which the driver records: a reset and no bounce"
index_before=$(index)
supplicant_is_slow
leaves_range
knob crashes 1
(($(recorded_crashes) == 1)) || fail "the kernel has a record of the crash" "$(ls /sys/class/devcoredump/)"
within 60 "it is reset" program_said 1 'resetting the device on its bus: not associated .*has recorded a crash of the device'
knob in_range 1
within 60 "it is healthy again" program_said 3 'back .* after the raise: healthy'
resets_are 1
[[ $(index) != "$index_before" ]] || fail "the interface was made anew"

tell "the record of the crash is still there, and the radio has worked since: a bounce"
(($(recorded_crashes) == 1)) || fail "the kernel keeps the record of the crash" "$(ls /sys/class/devcoredump/)"
supplicant_is_slow
leaves_range
within 60 "the link is bounced" program_said 3 'bouncing the link'
knob in_range 1
within 40 "it is healthy again" program_said 4 'back .* after the raise: healthy'
resets_are 1

tell "the firmware hangs: a reset and no bounce"
radio_hangs
within 60 "it is reset" program_said 1 'resetting the device on its bus: not associated .*refuses every scan with EBADE'
within 60 "it is healthy again" program_said 5 'back .* after the raise: healthy'
resets_are 2
! says 'bouncing the link.*EBADE' || fail "it was not bounced"
[[ $(index) != "$before" ]] || fail "the interface was made anew"
associated || fail "the link is associated again"
[[ $(ip -4 address show dev $station) == *"$station_address"* ]] || fail "its address is back"
kill -TERM "$program"
toggler_ends 20
expect_status 0

kernel_was_quiet

tell "the history says why"
toggler history --verbose $station
expect_status 0
expect_says 'refuses every scan with EBADE'
toggler history --json $station
expect_json '.kind == "bounce" and .methods == ["reset"] and any(.evidence[]; .probe == "driver" and (.detail | contains("EBADE")))'
expect_json '.kind == "bounce" and .methods == ["reset"] and any(.evidence[]; .probe == "driver" and (.detail | contains("devcoredump")))'
