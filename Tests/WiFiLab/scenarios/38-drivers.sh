# Methods that drivers.conf forbids for the radio's driver are not used, and doctor proposes the remedy. (on day 1 of 4)
access_point
static_station
mkdir -p /etc/wifi-toggler
rules=/etc/wifi-toggler/drivers.conf
printf '%s\n' '[mac80211_hwsim platform]' 'forbid = bounce' 'remedy = use real hardware' 'source = a/b#1' >$rules

tell "driver and bus are found as the manual says"
[[ $(readlink /sys/class/net/$station/device/driver) == */bus/platform/drivers/mac80211_hwsim ]] || fail "it has that name"

tell "if the bounce is forbidden and the only method, it is refused and the link stays up"
mark
# Fast reconnect is switched off, because its directed scan comes before the check of the driver's rule, and would count
# as an event.
toggler toggle --delay 200ms --no-fast-reconnect $station
expect_status 69
expect_says "$rules:1 forbids it for the driver mac80211_hwsim on platform \(a/b#1\)"
is_up || fail "the link is up"
expect_no_event

tell "the ladder skips the forbidden method"
toggler toggle --method bounce,rfkill --delay 200ms --settle 20s --json $station
expect_status 0
expect_json '.methods == ["rfkill"]'
expect_says 'bounce: /etc/wifi-toggler/drivers.conf:1 forbids it'
association

tell "doctor proposes the remedy of the driver's section"
toggler doctor $station
expect_says 'its driver mac80211_hwsim on platform has a known fault'
expect_says 'remedy: use real hardware'

tell "a mistake in the file prevents the start"
echo 'forbid = bounce' >>$rules
toggler probe $station
expect_status 78
expect_says "$rules:5: 'forbid' is in line 2 already"

tell "without the file the link is bounced"
rm $rules
toggler toggle --delay 200ms --settle 20s $station
expect_status 0
