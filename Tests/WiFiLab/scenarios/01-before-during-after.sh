# What list and probe see on the way to a healthy link: each stage has its layer.
tell "the interface is administratively down"
toggler list
expect_status 0
expect_says "$station"
toggler probe --json $station
expect_status 69
expect_json '.layer == "radio"'

tell "raised, but nobody associates it"
ip link set $station up
toggler probe --json $station
expect_status 2
expect_json '.interface == "wlan1" and .verdict == "unknown" and .layer == "association" and .action == "none"'

tell "the station has the wrong key and is stuck before the keys are installed"
access_point
supplicant "$wrong_key"
within $patience "the access point sees that the keys differ" grep -q POSSIBLE-PSK-MISMATCH $scratch/hostapd.log
toggler probe --json $station
expect_status 1
expect_json '.verdict == "sick" and .layer == "association"'
supplicant_ends

tell "associated, without an address"
supplicant
association
toggler probe --json $station
expect_status 1
expect_json '.verdict == "sick" and .layer == "address"'

tell "an address, but no way out that one could ask"
static_address
toggler probe --json $station
expect_status 2
expect_json '.verdict == "unknown"'

tell "healthy"
default_route
pings
toggler probe --json $station
expect_status 0
expect_json '.verdict == "healthy" and .layer == null and (.reason | length > 0) and (.evidence | length > 0)'
toggler list --json
expect_status 0
expect_json ".interface == \"$station\" and .phy == $(cat /sys/class/net/$station/phy80211/index)"
expect_json '.administrative == "up" and .operational == "up" and .association.ssid == "lab"'
