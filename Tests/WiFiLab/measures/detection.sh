# How soon the service lowers a link whose access point is silently dead. (up to 75 s)
# There are WIFI_TOGGLER_REPEAT turns. The access point silently drops what the station sends; its beacons continue, so
# that the station believes itself associated. The faults are spread over the interval between checks: each turn has its
# part of the interval, and makes its fault at a random moment in that part. In every other turn the link is busy until
# the fault, so that the kernel knows that the gateway is reachable.
# The report has a line of JSON for each fault (see stopwatch.c).
interval=10 recheck=1 turns=${WIFI_TOGGLER_REPEAT:-1}
# The time limit of a detection, in seconds.
longest=60
RANDOM=$((${WIFI_TOGGLER_SEED:-1} % 32768))

traffic() { ping -q -n -i 0.3 -I $station $gateway >/dev/null 2>&1 & traffic=$!; }
traffic_ends() {
    kill $traffic
    wait $traffic 2>/dev/null || :
}

death() {
    local kind=$1 moment=$2 figures
    rm -rf /var/lib/wifi-toggler
    within $time_limit "$gateway answers over Wi-Fi" answers
    [[ $kind == quiet ]] || traffic
    toggler_starts run --verbose --interval ${interval}s --recheck ${recheck}s --grace 0 $station
    within 30 "the service says that it is healthy" program_said 1 healthy
    read -rt "$moment" -u "$never" || :
    figures=$("$STOPWATCH" $station $gateway $longest \
        ip netns exec ap iw dev wlan0 station del "$(mac_of $station)" 2>>"$scratch/stopwatch.log") || :
    [[ $figures == *'"status":0}' ]] || fail "the death was watched" "$figures $(<"$scratch/stopwatch.log")"
    tell "$kind, dead $moment s after a check: $figures"
    echo "{\"kind\":\"$kind\",\"moment\":$moment,${figures#\{}" >>"$REPORT"
    [[ $kind == quiet ]] || traffic_ends
    kill -TERM "$program"
    toggler_ends 15
}

access_point
static_station
for ((turn = 0; turn < turns; turn++)); do
    # The moment of the fault in milliseconds from the start of the interval, when a check has just been made.
    moment=$(((turn * 1000 + RANDOM % 1000) * interval / turns))
    printf -v moment '%d.%03d' $((moment / 1000)) $((moment % 1000))
    ((turn % 2)) && kind=busy || kind=quiet
    death $kind "$moment"
done
