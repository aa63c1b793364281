# An interface that is a monitor when the service starts is watched once it is a station. (on day 2 of 4)
access_point
ip link set $station down
iw dev $station set type monitor
ip link set $station up
toggler_starts run --verbose --interval 2s
within 15 "the service waits for an interface" program_said 1 'no Wi-Fi interface yet'
ip link set lo mtu 40000
! says "$station: starting" || fail "a monitor is left alone"

ip link set $station down
iw dev $station set type managed
ip link set $station up
within 15 "the service has noticed" program_said 1 "$station: starting"
static_station
within 30 "and watches it" program_said 1 "$station: healthy"
kill -TERM "$program"
toggler_ends 10
expect_status 0
