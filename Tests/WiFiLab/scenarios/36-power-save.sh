# With power-save off the program keeps power saving off: at checks, after a bounce, after a change by others.
access_point
static_station
saves_power() { iw dev $station get power_save | finds ': on'; }
saves_none() { ! saves_power; }
iw dev $station set power_save on

tell "without the option power saving is left on"
toggler reconnect --verbose $station
expect_status 0
saves_power || fail "it is still on"

tell "a dry run reports that power saving is on, and leaves it on"
toggler reconnect --dry-run --power-save off $station
saves_power || fail "it is still on"

tell "a one-shot switches power saving off"
mark
toggler reconnect --power-save off $station
expect_status 0
saves_none || fail "it is off"
expect_no_event

tell "the service keeps power saving off"
iw dev $station set power_save on
toggler_starts run --verbose --interval 1s --power-save off $station
within 15 "it is off" saves_none
iw dev $station set power_save on
within 15 "it is off again" saves_none
kill -USR1 "$program"
kill -TERM "$program"
toggler_ends 10
expect_status 0

tell "power saving is off after a bounce, too"
iw dev $station set power_save on
toggler toggle --delay 200ms --power-save off $station
expect_status 0
saves_none || fail "it is off"
