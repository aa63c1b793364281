# networkd fails to configure the link and does not try again: told to reconfigure it, networkd brings the link back. (up to 300 s) (on day 3 of 8)
. "$LAB/matrix.sh"
. "$LAB/refused-address.sh"

has_not_failed() { state_is configured || state_is configuring; }

beside networkd
networkd_wants_ipv6_address

tell "after the failure, the link comes back neither by itself nor by a bounce"
networkd_fails
no_ping
toggler reconnect --fall 1 --method bounce --settle 15s $station
expect_status 1
state_is failed || fail "networkd does not try again" "$(networkctl --no-pager list)"

tell "doctor reports the failure, and changes nothing"
toggler doctor --json $station
expect_json '.finding == "owner-gave-up" and .severity == "warning" and .reason == "systemd-networkd has failed to configure it, and does not try again"'
state_is failed || fail "networkd does not try again" "$(networkctl --no-pager list)"

tell "networkd is told to reconfigure the link, which stays up meanwhile"
toggler reconnect --fall 1 --backoff 0 --settle 20s --json $station
expect_status 0
expect_json '.verdict == "healthy" and .action == "recovered" and .methods == ["owner"] and .down_ms == 0'
within $time_limit "networkd no longer reports a failure" has_not_failed
pings

tell "a user who sets the link down is obeyed"
leave
toggler reconnect --fall 1 --backoff 0 --settle 5s --json $station
[[ $status != 0 ]] || fail "the link stays down"
has_not_failed || fail "networkd was not asked" "$(networkctl --no-pager list)"
rejoin
pings $time_limit

tell "doctor reports no failure of a healthy link"
toggler doctor --json $station
! says owner-gave-up || fail "doctor finds its owner at work" "$(<"$scratch/program.out")"
