# On a radio that a user has blocked nothing is lowered, and the message says how to unblock it. (on day 0 of 4)
access_point
static_station
rfkill block "$(rfkill_of $station)"
within $time_limit "the kernel has lowered $station" is_down
# TROUBLESHOOTING.md quotes this, and the command that ends the block (below).
rfkill list | finds 'Soft blocked: yes' || fail "rfkill shows the block" "$(rfkill list)"

mark
for command in reconnect toggle probe; do
    toggler $command $station
    expect_status 69
    expect_says 'rfkill unblock'
done
toggler probe --json $station
expect_status 69
expect_json '.layer == "radio"'
expect_no_event

tell "the radio is unblocked and the link raised"
rfkill unblock wlan
ip link set $station up
association
default_route
pings
toggler probe $station
expect_status 0
