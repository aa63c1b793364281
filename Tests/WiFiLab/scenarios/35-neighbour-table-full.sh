# The kernel's neighbour table is full: that says nothing about the link, and nothing is done; not a bounce, ever.
access_point
static_station

# The access point's namespace has the same kernel, and the same table: its own entry is of the kind that has room.
ip -n ap neighbour replace $station_address lladdr "$(mac_of $station)" dev $gateway_link nud permanent

tell "no new entry is made"
sysctl -q -w net.ipv4.neigh.default.gc_thresh1=0 net.ipv4.neigh.default.gc_thresh2=0 net.ipv4.neigh.default.gc_thresh3=0
no_entry() { [[ ! $(ip neighbour show dev $station to $gateway) ]]; }
forgotten() {
    ip neighbour flush dev $station
    no_entry
}
within 10 "the gateway's entry is gone" forgotten
silent || fail "no packet reaches the gateway"

mark
toggler probe --json $station
expect_status 2
expect_json '.verdict == "unknown"'
expect_says 'No buffer space available'
toggler reconnect --json --fall 1 --backoff 0 --settle 5s $station
expect_json '.verdict == "unknown" and .action == "none"'

tell "not even with probes that send by themselves and get no answer"
toggler reconnect --json --fall 1 --backoff 0 --settle 5s --probe auto --probe "icmp:$gateway" $station
expect_json '.verdict == "unknown" and .action == "none"'
[[ ! $(changes) ]] || fail "the link is left alone" "$(changes)"

tell "there is room again"
sysctl -q -w net.ipv4.neigh.default.gc_thresh3=1024 net.ipv4.neigh.default.gc_thresh2=512 net.ipv4.neigh.default.gc_thresh1=128
pings
toggler probe --json $station
expect_status 0
