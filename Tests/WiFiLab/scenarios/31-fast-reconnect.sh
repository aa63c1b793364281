# Fast reconnect: the program aborts the owner's scan after a bounce, but not with --no-fast-reconnect.
# WIFI_TOGGLER_BOUNCES is the number of bounces.
. "$LAB/fast-reconnect.sh"
# Without a frequency, the supplicant scans all channels.
frequency=''
access_point channel=11
static_station

short_bounces "${WIFI_TOGGLER_BOUNCES:-2}"

tell "with --no-fast-reconnect the owner's scan is complete"
first=$(next_event)
toggler toggle --verbose --no-fast-reconnect --delay 200ms $station
expect_status 0
! says 'scan was aborted' || fail "no scan is aborted with --no-fast-reconnect"
within $time_limit "nl80211 tells of the connection" connected_since "$first"
expect_way_back "$(what_happened "$first")" "$left_whole"
