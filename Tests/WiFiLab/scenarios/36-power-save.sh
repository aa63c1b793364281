# With power-save off, or with auto and a driver file that says so, the program keeps power saving off. (up to 180 s) (on day 0 of 4)
access_point
static_station
saves_power() { iw dev $station get power_save | finds ': on'; }
# TROUBLESHOOTING.md quotes this line.
saves_none() { iw dev $station get power_save | finds -x 'Power save: off'; }
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

drivers=/etc/wifi-toggler/drivers.conf
mkdir -p "${drivers%/*}"

tell "with auto and no word about the driver, power saving is left on"
iw dev $station set power_save on
printf '%s\n' '[mac80211_hwsim platform]' 'fault = none' '[mac80211_hwsim pci]' 'power-save = off' >$drivers
toggler_starts run --verbose --interval 1s --power-save auto $station
within 15 "it is healthy" program_said 1 "$station: healthy"
sleep 2
saves_power || fail "it is still on"

tell "the service reads the changed file again, and keeps power saving off from then on"
printf '%s\n' '# a comment' '[mac80211_hwsim platform]' 'power-save = off' >$drivers
kill -HUP "$program"
within 15 "it is off" saves_none
because="because $drivers:2 says so for the driver mac80211_hwsim on platform"
program_said 1 "power saving was on: switched off, $because" || fail "it says why"
shown=$("$WIFI_TOGGLER" status $station 2>&1) || :
[[ $shown == *"power saving is kept off, $because"* ]] || fail "status says why, too" "$shown"
iw dev $station set power_save on
within 15 "it is off again" saves_none
kill -TERM "$program"
toggler_ends 10
expect_status 0
rm $drivers
