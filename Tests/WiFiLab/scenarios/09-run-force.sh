# The plain timer (--force) bounces the link at each interval until SIGTERM, and ends with the link up. (on day 1 of 4)
access_point
static_station

mark
# If each tick began with the end of a bounce, it would drift by this delay.
toggler_starts run --force --interval 3s --delay 1s $station
within 90 "eight bounces" has_bounced 8
kill -TERM "$program"
toggler_ends 10
expect_status 0
is_up || fail "the link is up at the end"
downs=$(changes | grep -c down)
expect_bounces "$downs" 1 cut-short
expect_beat 3
association
pings
