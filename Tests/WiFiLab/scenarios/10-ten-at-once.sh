# Ten runs at once on a sick link: one bounces it, nine find the interface's lock taken. (on day 3 of 4)
access_point
static_station
access_point_forgets_station
no_ping

mark
processes=()
for _ in {1..10}; do
    recorded reconnect
    "$WIFI_TOGGLER" reconnect --wait 0 --delay 5s --fall 2 --recheck 1s "${recording[@]}" $station \
        >>"$scratch/program.out" 2>&1 &
    processes+=($!)
done
statuses=()
for process in "${processes[@]}"; do
    status=0
    wait "$process" || status=$?
    statuses+=("$status")
done
seen=$(printf '%s\n' "${statuses[@]}" | sort -n | tr '\n' ' ')
[[ $seen == "0 75 75 75 75 75 75 75 75 75 " ]] || fail "one status 0 and nine 75" "$seen"
expect_bounces 1 5
pings
