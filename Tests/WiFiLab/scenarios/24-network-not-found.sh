# The network is gone while scans find another one: no bounce, and the station joins later. (on day 1 of 4)
access_point
static_station
toggler_starts run --interval 60s --fall 3 --recheck 15s --delay 500ms --settle 5s --grace 0 $station
within 120 "the service says that it is healthy" program_said 1 healthy

mark
access_point_dies
disassociation
network_name=elsewhere access_point
within 120 "the service says that the network is not found" program_said 1 'network "lab" is not found'
# Three checks would be enough for a bounce. The owner's scans cause more checks.
looks_on() { grep -c 'scan finished' "$scratch/wireless.trace" | awk '{ exit $1 < 12 }'; }
within 120 "its owner has scanned on" looks_on
expect_says 'a bounce cannot help'
[[ ! $(changes) ]] || fail "no bounce" "$(changes)"
access_point_dies
access_point
within 150 "the station is back" operational
pings
within 120 "the service says that it is healthy again" program_said 2 healthy
kill -TERM "$program"
toggler_ends 10
expect_status 0
is_up || fail "the link is up at the end"
