# A station that a user disconnects is not bounced, even if the service is told to check at once. (on day 1 of 4)
# When the user connects it again, the service says that it is healthy.
access_point
static_station
toggler_starts run --interval 60s --fall 2 --recheck 1s --delay 500ms --settle 5s --grace 0 $station
within 120 "the service says that it is healthy" program_said 1 healthy

mark
wpa_cli -i $station disconnect >/dev/null
disassociation
within 60 "the service says that this machine left by itself" program_said 1 'of this machine left the network'
within 60 "the service says that a bounce cannot help" program_said 1 'of this machine left the network.*a bounce cannot help'
for count in 1 2 3; do
    kill -USR1 "$program"
    sleep 2
done
[[ ! $(changes) ]] || fail "no bounce" "$(changes)"
not_associated || fail "the link stays as the user left it"
wpa_cli -i $station reconnect >/dev/null
within 60 "the station is back" operational
pings
within 120 "the service says that it is healthy again" program_said 2 healthy
[[ ! $(changes) ]] || fail "no bounce" "$(changes)"
kill -TERM "$program"
toggler_ends 10
expect_status 0
is_up || fail "the link is up at the end"
