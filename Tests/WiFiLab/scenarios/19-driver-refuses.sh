# The driver refuses to start with EIO or EBUSY: the error is reported and the raise retried until it succeeds. (on day 0 of 4)
no_guard() { ! pgrep wt-guard >/dev/null; }
driver obstinate
ip address add 10.78.0.2/24 dev $station
ip link set $station up

for refusal in '5 Input/output error' '16 Device or resource busy'; do
    toggler_starts run --verbose --any-interface --force --interval 1h --delay 5s --settle 0 --probe none $station
    within 15 "the link is kept down" is_down
    open_fails "${refusal%% *}"
    within 15 "the service says why" program_said 1 "could not raise the link: ${refusal#* }, trying again"
    is_down || fail "the driver refuses"
    open_fails 0
    within 15 "it is raised when the driver is willing" is_up
    within 10 "the service says so" program_said 1 'link up after'
    kill -TERM "$program"
    toggler_ends 10
    expect_status 0

    tell "a one-shot gives up after a while with status 71, and its guard goes on"
    toggler_starts toggle --any-interface --delay 5s --settle 0 --probe none $station
    within 15 "the link is kept down" is_down
    open_fails "${refusal%% *}"
    toggler_ends 60
    expect_status 71
    expect_says "could not raise the link: ${refusal#* }, giving up"
    open_fails 0
    within 20 "its guard raises it when the driver is willing" is_up
    within 10 "the guard has ended" no_guard
done

tell "the link below a VLAN is set down during the bounce: the raise is retried after ENETDOWN"
parent=$station
modprobe 8021q
ip link add link $parent name vlan0 type vlan id 5
station=vlan0
ip address add 10.79.0.2/24 dev $station
ip link set $station up
toggler_starts toggle --any-interface --delay 10s --settle 0 --probe none $station
within 15 "the link is kept down" is_down
ip link set $parent down
within 15 "it says why" program_said 1 'could not raise the link: Network is down'
ip link set $parent up
toggler_ends 40
expect_status 0
is_up || fail "the link is up"
