# A step of the wall clock changes neither the pause of a bounce nor the schedule of checks. (on day 3 of 4)
access_point
static_station

# bounce_with_step DATE: sets the clock in the middle of a bounce that keeps the link down for four seconds.
bounce_with_step() {
    local lowered duration
    toggler_starts toggle --verbose --delay 4s $station
    within 15 "the link is kept down" program_said 1 '→ keeping down'
    lowered=$(milliseconds)
    date -s "$1" >/dev/null
    within 20 "the link is up again" is_up
    duration=$(($(milliseconds) - lowered))
    # A step that counted would raise the link at once, or keep the link down for a day.
    ((duration > 2500 && duration < 24000)) || fail "the link is kept down for four seconds" "$duration ms"
    toggler_ends 40
    association
    default_route
    pings
}
tell "the wall clock is set a day forward"
bounce_with_step '+1 day'
tell "the wall clock is set two days back"
bounce_with_step '2 days ago'
tell "the wall clock is set from 1970 to the present, and back"
present=$(date +%s)
# This is the second day of 1970. The kernel refuses a time before its own start (settimeofday(2), EINVAL), and the
# guest may have run for more than a few minutes when this scenario begins.
past=$((24 * 60 * 60))
date -s "@$past" >/dev/null
bounce_with_step "@$present"
bounce_with_step "@$past"

cycles() { grep -c 'checking → waiting' "$scratch/program.err" || :; }
has_cycled() { (($(cycles) >= $1)); }
toggler_starts run --verbose --interval 10s $station
within 15 "the first check" has_cycled 1
date -s '+1 day' >/dev/null
sleep 2
[[ $(cycles) == 1 ]] || fail "no check is due yet" "$(cycles)"
within 20 "the second check" has_cycled 2
# A time service sets the clock at last.
date -s "@$present" >/dev/null
sleep 2
[[ $(cycles) == 2 ]] || fail "no check is due yet" "$(cycles)"
within 20 "the third check" has_cycled 3
date -s '2 days ago' >/dev/null
within 20 "the fourth check" has_cycled 4
kill -TERM "$program"
toggler_ends 10
expect_status 0
