# The radio is blocked while the link is kept down: this is reported, and the link raised soon after the unblock. (on day 1 of 4)
access_point
static_station
mark
toggler_starts run --verbose --force --interval 1h --delay 10s $station
within 15 "the link is kept down" program_said 1 '→ keeping down'
rfkill block "$(rfkill_of $station)"
within 30 "the service says why" program_said 1 'could not raise the link: Operation not possible due to RF-kill'
program_said 1 "rfkill unblock wlan" || fail "and what to do"
# The program retries seldom by now, but it notices the unblock itself.
sleep 8
is_down || fail "the radio is blocked"
! program_said 2 'could not raise' || fail "said once"
rfkill unblock "$(rfkill_of $station)"
within 10 "the link is up again" is_up
association
default_route
pings
within 30 "the service says that it is healthy" program_said 1 'after the raise: healthy'
kill -TERM "$program"
toggler_ends 10
expect_status 0

tell "a one-shot gives up with status 69, and its guard raises the link after the unblock"
toggler_starts toggle --verbose --delay 10s --settle 1s $station
within 15 "the link is kept down" program_said 1 '→ keeping down'
rfkill block "$(rfkill_of $station)"
toggler_ends 40
expect_status 69
expect_says 'rfkill unblock'
is_down || fail "the radio is blocked"
rfkill unblock "$(rfkill_of $station)"
within 20 "its guard raises it after the unblock" is_up
association
