# A station that was never associated is not bounced; a sick one beside it is. (on day 0 of 4)
. "$LAB/ports.sh"
# The third radio is that of the spare station.
modprobe -r mac80211_hwsim
ip netns del ap
modprobe mac80211_hwsim radios=3
radios
spare=wlan2 holder=$station waits='not associated since the interface appeared, and never healthy before; the program does not recover the link until it has joined a network'
changes_of() { local station=$1; changes; }

access_point
static_station
ip link set $spare up
mark

tell "a one-shot says why it waits"
for command in probe "reconnect --fall 1 --backoff 0 --settle 3s"; do
    # shellcheck disable=SC2086 # words
    toggler $command --json $spare
    expect_status 2
    expect_json ".verdict == \"unknown\" and .layer == \"association\" and .action == \"none\" and .reason == \"$waits\""
done

tell "the service watches both; it bounces the sick one"
service_starts
within 30 "it finds the first healthy" checked 1 '"verdict":"healthy"'
from_here
access_point_forgets_station
within 60 "it has bounced the first" checked 1 '"verdict":"healthy".*"action":"bounced"'
within 30 "it waits for the spare one" checked 5 '"verdict":"unknown","layer":"association"' $spare
shows "$station: healthy" $station
shows "unknown at layer association: $waits" $spare
service_ends
expect_bounces 1 0.3
[[ ! $(changes_of $spare) ]] || fail "the spare one is left alone" "$(changes_of $spare)"
