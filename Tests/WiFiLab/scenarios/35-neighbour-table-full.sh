# A full neighbour table of the kernel makes the verdict unknown, and never causes a bounce. (on day 3 of 4)
access_point
static_station

# The access point's namespace shares the kernel's table. A permanent entry is not affected by its limits.
ip -n ap neighbour replace $station_address lladdr "$(mac_of $station)" dev $gateway_link nud permanent

tell "a target that answers once, so that its silence counts"
toggler reconnect --json --timeout 1s --probe "tcp:$gateway:7" $station
expect_status 0
expect_json '.verdict == "healthy" and .action == "none"'

tell "the kernel refuses new neighbour entries"
# room LEAST MORE MOST: sets the limits of all neighbour tables of the guest. These stay set after this scenario.
room() {
    sysctl -q -w net.ipv4.neigh.default.gc_thresh1="$1" net.ipv4.neigh.default.gc_thresh2="$2" \
        net.ipv4.neigh.default.gc_thresh3="$3"
}
trap 'room 128 512 1024' EXIT
room 0 0 0
# No entry may exist: the kernel could collect it, which would make room for a new one.
forgotten() {
    ip neighbour flush dev $station
    silent
}
within 10 "no packet reaches the gateway" forgotten

mark
toggler probe --json $station
expect_status 2
expect_json '.verdict == "unknown"'
expect_says 'No buffer space available'
toggler reconnect --json --fall 1 --backoff 0 --settle 5s $station
expect_json '.verdict == "unknown" and .action == "none"'

tell "an echo probe without an answer causes no bounce either"
toggler reconnect --json --fall 1 --backoff 0 --settle 5s --probe auto --probe "icmp:$gateway" $station
expect_json '.verdict == "unknown" and .action == "none"'

tell "a TCP probe, whose packets the kernel drops without an error, is no evidence either"
toggler probe --json --timeout 1s --probe "tcp:$gateway:7" $station
expect_status 2
expect_json '.verdict == "unknown" and .layer == "gateway"'
expect_says 'No buffer space available'
[[ ! $(changes) ]] || fail "the link is left alone" "$(changes)"

tell "the neighbour table has room again"
room 128 512 1024
pings
toggler probe --json $station
expect_status 0
