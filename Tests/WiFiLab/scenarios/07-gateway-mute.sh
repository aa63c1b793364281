# The gateway stops answering: reconnect tries one bounce, and reports that it did not help. (on day 2 of 4)
access_point
static_station
gateway_mutes
no_ping
probe_is_sick() { ! "$WIFI_TOGGLER" probe $station >/dev/null 2>&1; }
within 60 "the gateway's last answer is too old to prove anything" probe_is_sick
toggler probe --json $station
expect_status 1
expect_json '.verdict == "sick" and .layer == "gateway"'

mark
toggler reconnect --json --fall 2 --recheck 500ms --delay 500ms --settle 5s $station
expect_status 1
expect_json '.action == "bounced"'
expect_bounces 1 0.5

tell "the gateway answers again"
gateway_speaks
association
default_route
pings
toggler reconnect --json $station
expect_status 0
expect_json '.verdict == "healthy" and .action == "none"'
