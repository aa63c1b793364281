# The ladder tries reassociate, rfkill and a hook in turn, and verifies the link after each. (on day 3 of 4)
access_point
static_station
ip route add 198.51.100.0/24 via $gateway dev $station
supplicant_is_slow
route_is_there() { [[ $(ip route show 198.51.100.0/24 dev $station) ]]; }
not_blocked() { ! rfkill -no SOFT list "$(rfkill_of $station)" | finds '^blocked'; }

tell "a sick link is reassociated and stays up"
gateway_mutes
no_ping
mark
toggler_starts reconnect --method bounce,reassociate --fall 1 --settle 20s --json $station
within 20 "it asks the owner" program_said 1 'asking its owner to reassociate'
gateway_speaks
toggler_ends 40
expect_status 0
expect_json '.action == "recovered" and .methods == ["reassociate"] and .down_ms == 0'
route_is_there || fail "no route was lost"
! trace_since_mark | grep "$station" | finds -v 'UP' || fail "the link was never set down"

# From here on, the link becomes sick again soon after each recovery. Because of the back-off, the next recovery would
# be delayed.
tell "methods that do not help are followed by the next until one helps"
gateway_mutes
no_ping
printf '#!/bin/sh\n[ "$INTERFACE" = %s ] && ip -n ap address add %s dev %s\n' \
    $station $gateway/24 $gateway_link >"$scratch/heal"
chmod 755 "$scratch/heal"
mark
toggler reconnect --fall 1 --backoff 0 --method "reassociate,rfkill,hook:$scratch/heal" --delay 1s --settle 4s --json $station
expect_status 0
expect_json '.action == "bounced" and .methods == ["reassociate", "rfkill", "hook"] and .down_ms >= 1000'
expect_says 'reassociate did not help'
expect_says 'rfkill did not help'
route_is_there || fail "the administrator's route was put back"
not_blocked || fail "the radio is not blocked"
is_up || fail "the link is up"
pings

tell "a supplicant without a socket and a hook that anybody may write are skipped"
mv /run/wpa_supplicant/$station "$scratch/socket"
chmod 777 "$scratch/heal"
gateway_mutes
no_ping
toggler reconnect --fall 1 --backoff 0 --method "reassociate,hook:$scratch/heal" --settle 2s $station
expect_status 71
expect_says 'reassociate: no wpa_supplicant has a control socket for this interface; running the hook'
expect_says 'writable'
mv "$scratch/socket" /run/wpa_supplicant/$station
gateway_speaks
pings

tell "the program is killed while it blocks the radio: its guard unblocks the radio and raises the link"
beside_service
mark
toggler_starts toggle --method rfkill --delay 20s $station
within 15 "the link is down" is_down
guard_is_out_of_reach || fail "the service's user cannot signal the guard"
kill -KILL "$program"
# These are less than the delay: a guard that waits for its end is too late.
within 5 "the link is up again" is_up
within 5 "the radio is not blocked" not_blocked
association
route_is_there || within 20 "the route is put back" route_is_there
pings
within 15 "the record is gone" no_record
