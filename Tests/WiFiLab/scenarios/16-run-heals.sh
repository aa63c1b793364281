# The access point is dead for a while: soon after its return the service has the link back, and the log says why.
access_point
static_station
supplicant_is_slow
toggler_starts run --interval 2s --fall 2 --recheck 1s --delay 500ms --settle 5s --backoff 3s --grace 0 $station

mark
access_point_dies
disassociation
within 60 "the service says what is wrong" program_said 1 association
within 60 "the service tried a bounce" has_bounced 1
access_point
within 120 "the station is back" operational
default_route
pings
within 30 "the service says that it is healthy" program_said 1 healthy
kill -TERM "$program"
toggler_ends 10
expect_status 0
is_up || fail "the link is up at the end"
