# toggle lowers a link that was set up by hand once, raises it after the delay, and packets flow again.
access_point
static_station

mark
toggler toggle --delay 1s --json $station
expect_status 0
expect_json '.verdict == "healthy" and .layer == null and .action == "bounced"'
expect_json '.down_ms >= 1000 and .down_ms < 4000 and .recovery_ms > 0'
expect_bounces 1 1
pings
has_default_route || fail "the default route is back"
