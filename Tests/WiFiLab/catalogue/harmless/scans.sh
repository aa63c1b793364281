# another program scans all channels again and again
# While the station is on other channels, an answer may come too late for one check.
layer=gateway? options=(--timeout 2s --recheck 1s --fall 3) cycles=8
inject() {
    while :; do iw dev $station scan >/dev/null 2>&1 || :; done &
    scans=$!
}
heal() { kill $scans; }
