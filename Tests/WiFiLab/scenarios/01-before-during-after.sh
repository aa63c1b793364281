# list and probe name the right layer at each stage from a link that is down to a healthy one.
tell "the interface is administratively down"
toggler list
expect_status 0
expect_says "$station"
toggler probe --json $station
expect_status 69
expect_json '.layer == "radio"'

tell "the link is raised, and no supplicant associates it"
ip link set $station up
toggler probe --json $station
expect_status 2
expect_json '.interface == "wlan1" and .verdict == "unknown" and .layer == "association" and .action == "none"'

tell "the station has the wrong key, and no keys are installed"
access_point
supplicant "$wrong_key"
within $time_limit "the access point sees that the keys differ" grep -q POSSIBLE-PSK-MISMATCH $scratch/hostapd.log
toggler probe --json $station
expect_status 1
expect_json '.verdict == "sick" and .layer == "association"'
supplicant_ends

tell "the station is associated and has no address"
supplicant
association
toggler probe --json $station
expect_status 1
expect_json '.verdict == "sick" and .layer == "address"'

tell "the station has an address and no gateway to probe"
static_address
toggler probe --json $station
expect_status 2
expect_json '.verdict == "unknown"'

tell "the link is healthy"
default_route
pings
toggler probe --json $station
expect_status 0
expect_json '.verdict == "healthy" and .layer == null and (.reason | length > 0) and (.evidence | length > 0)'
toggler list --json
expect_status 0
expect_json ".interface == \"$station\" and .phy == $(cat /sys/class/net/$station/phy80211/index)"
expect_json '.administrative == "up" and .operational == "up" and .association.ssid == "lab"'
