# A toggle that is terminated while it keeps the link down raises the link; its result is unknown. (on day 3 of 4)
access_point
static_station
spared() { [[ $(cat "/proc/$(pgrep --parent "$program" --exact wt-guard)/oom_score_adj") == -1000 ]]; }

for signal in TERM INT HUP; do
    mark
    toggler_starts toggle --delay 60s $station
    within 15 "the link is kept down" is_down
    spared || fail "the guard is the last to be ended where memory runs out"
    kill -$signal "$program"
    within 10 "the link is up again after SIG$signal" is_up
    toggler_ends 20
    expect_status 2
    expect_bounces 1 0
    association
    pings
done
