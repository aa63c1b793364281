# The plain timer (--force) bounces the link at each interval until SIGTERM, and ends with the link up.
access_point
static_station

mark
toggler_starts run --force --interval 3s --delay 500ms $station
within 60 "four bounces" has_bounced 4
kill -TERM "$program"
toggler_ends 10
expect_status 0
is_up || fail "the link is up at the end"
downs=$(changes | grep -c down)
expect_bounces "$downs" 0.5 3.5
expect_beat 3
association
pings
