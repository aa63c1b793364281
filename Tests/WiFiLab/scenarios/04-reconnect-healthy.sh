# reconnect leaves a healthy link alone and prints nothing, even if the gateway does not answer ICMP echo. (on day 0 of 4)
access_point
static_station

mark
toggler reconnect --quiet $station
expect_status 0
expect_silence
toggler reconnect --json
expect_status 0
expect_json '.interface == "wlan1" and .verdict == "healthy" and .action == "none"'

gateway_ignores_echo
no_ping
ip neighbour flush dev $station
toggler reconnect --json $station
expect_status 0
expect_json '.verdict == "healthy" and .action == "none"'
expect_no_event
