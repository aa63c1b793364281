# The radio's module is unloaded and loaded again: the service reports both, and watches the link again. (on day 1 of 4)
access_point
static_station
toggler_starts run --verbose --interval 2s --fall 2 --recheck 500ms --delay 500ms $station
within 30 "the service watches $station" program_said 1 "$station: healthy"

modprobe -r mac80211_hwsim
within 30 "the service says that $station is gone" program_said 1 'gone|removed|vanished|absent|no such'
kill -0 "$program" || fail "the service goes on"
supplicant_ends
access_point_dies
ip netns del ap

tell "the module is loaded again"
lines=$(wc -l <"$scratch/program.err")
modprobe mac80211_hwsim radios=2
radios
access_point
static_station
healthy_again() { tail -n "+$((lines + 1))" "$scratch/program.err" | finds -i "$station: healthy"; }
within 60 "the service finds it healthy again" healthy_again
kill -TERM "$program"
toggler_ends 10
expect_status 0
