# The service checks a healthy link five times and changes nothing. (on day 2 of 4)
access_point
static_station

mark
toggler_starts run --verbose --interval 2s $station
within 60 "five cycles found it healthy" program_said 5 "$station: healthy"
kill -TERM "$program"
toggler_ends 10
expect_status 0
expect_no_event
