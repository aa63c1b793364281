# another program scans all channels again and again
layer=- cycles=8
inject() {
    while :; do iw dev $station scan >/dev/null 2>&1 || :; done &
    scans=$!
}
heal() { kill $scans; }
