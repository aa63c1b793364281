# Power saving is kept off on request: at each check, after a bounce, and when somebody switches it on again.
access_point
static_station
saves_power() { iw dev $station get power_save | finds ': on'; }
saves_none() { ! saves_power; }
iw dev $station set power_save on

tell "nobody asked for it: it is left alone"
toggler reconnect --verbose $station
expect_status 0
saves_power || fail "it is still on"

tell "a dry run only tells"
toggler reconnect --dry-run --power-save off $station
saves_power || fail "it is still on"

tell "a one-shot switches it off"
mark
toggler reconnect --power-save off $station
expect_status 0
saves_none || fail "it is off"
expect_no_event

tell "the service keeps it off"
iw dev $station set power_save on
toggler_starts run --verbose --interval 1s --power-save off $station
within 15 "it is off" saves_none
iw dev $station set power_save on
within 15 "it is off again" saves_none
kill -USR1 "$program"
kill -TERM "$program"
toggler_ends 10
expect_status 0

tell "after a bounce, too"
iw dev $station set power_save on
toggler toggle --delay 200ms --power-save off $station
expect_status 0
saves_none || fail "it is off"
