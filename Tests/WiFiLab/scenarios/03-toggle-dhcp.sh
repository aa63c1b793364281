# toggle beside a DHCP client: the lease is back after one bounce, and nothing else is lowered or raised.
access_point
dhcp_server
dhcp_station

mark
toggler toggle --delay 1s --json $station
expect_status 0
expect_json '.verdict == "healthy" and .layer == null and .action == "bounced"'
expect_json '.down_ms >= 1000 and .down_ms < 4000 and .recovery_ms > 0'
expect_bounces 1 1
pings
within $time_limit "the client's default route is back" has_default_route
