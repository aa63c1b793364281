# The access point silently forgets the station: reconnect finds the dead link and bounces it.
access_point
static_station
access_point_forgets_station
no_ping
associated
operational

mark
toggler reconnect --json --delay 1s --fall 2 --recheck 500ms $station
expect_status 0
expect_json '.verdict == "healthy" and .action == "bounced"'
expect_bounces 1 1
pings
