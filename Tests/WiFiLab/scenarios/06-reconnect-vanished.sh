# The access point returns while the supplicant waits long before its next scan: reconnect recovers the link. (on day 1 of 4)
access_point
static_station
supplicant_is_slow
out_of_range
disassociation
within $time_limit "the supplicant looked for it in vain" supplicant_gave_up
toggler probe --json $station
expect_status 1
expect_json '.layer == "association"'
in_range
not_associated

mark
toggler reconnect --json --delay 1s --fall 2 --recheck 500ms $station
expect_status 0
expect_json '.verdict == "healthy" and .action == "bounced"'
expect_bounces 1 1
pings
