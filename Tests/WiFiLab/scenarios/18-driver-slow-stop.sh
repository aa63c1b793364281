# A driver stops slowly and holds the kernel's RTNL lock meanwhile: the service responds, the bounce completes. (on day 2 of 4)
driver obstinate
ip address add 10.78.0.2/24 dev $station
ip link set $station up
# This is longer than the service may take to tell its state, and shorter than it waits for the driver.
stop_takes 8000

toggler_starts run --verbose --any-interface --force --interval 1h --delay 1s --settle 0 --probe none $station
within 15 "the service asks the kernel to lower $station" program_said 1 '→ lowering'
# Meanwhile the service responds to signals. Only requests about links have to wait in the kernel.
kill -USR2 "$program"
within 15 "the service tells its state" program_said 1 "now: waiting for the driver to lower the link"
within 20 "it was lowered" program_said 1 'link down, kept down'
within 15 "it was raised" program_said 1 'link up after'
is_up || fail "the link is up"
awk '/now: waiting for the driver to lower/ { told = 1 } /link down, kept down/ { exit !told }' \
    "$scratch/program.err" || fail "the service told its state before the driver had stopped" "$(<"$scratch/program.err")"
stop_takes 5000

tell "the service is told to end while the driver stops, and ends with the link up"
kill -USR1 "$program"
within 15 "the service lowers it again" program_said 2 '→ lowering'
kill -TERM "$program"
toggler_ends 20
expect_status 0
is_up || fail "the link is up"

tell "a one-shot bounces the link in spite of the slow driver"
toggler toggle --any-interface --delay 1s --settle 0 --probe none $station
expect_status 0
((took >= 6000)) || fail "five seconds of stopping and one of holding" "$took ms"
is_up || fail "the link is up"

tell "the radio is bounced while the slow driver of another interface stops"
obstinate=$station station=wlan1
access_point
static_station
ip link set "$obstinate" down &
toggler toggle --delay 500ms $station
expect_status 0
is_up || fail "$station is up"
