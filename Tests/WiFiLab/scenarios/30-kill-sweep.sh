# If the program is killed at a random moment of a bounce, the link is up, associated and complete again.
# WIFI_TOGGLER_KILLS is the number of kills. The report has the seed, and the state of the program at each kill.
kills=${WIFI_TOGGLER_KILLS:-10} seed=${WIFI_TOGGLER_SEED:-$RANDOM} delay=500ms
states=(checking arming lowering 'keeping down' raising 'awaiting link' restoring)
# The longest waits in a state, in milliseconds: most states are over after some milliseconds.
spans=(0 60 600)
access_point
static_station
ip route add 198.51.100.0/24 via $gateway dev $station metric 7 table 100
ip address add 2001:db8:7::2/64 dev $station nodad
# Leaves out link-local addresses, which come and go with duplicate address detection.
state() { ip route show table all dev $station | grep -v 'fe80:\|ff00:' | sort; ip -oneline address show dev $station scope global; }
before=$(state)
as_before() { [[ $(state) == "$before" ]]; }
nothing_left() { ! pgrep wt-guard >/dev/null && ! ls /run/wifi-toggler | finds -v 'lock$'; }
# A lock that is still taken belongs to a process that is working on the link.
unlocked() { [[ ! -e /run/wifi-toggler/$station.lock ]] || flock --nonblock "/run/wifi-toggler/$station.lock" true; }

RANDOM=$seed slowest=0
declare -A hits
for ((kill = 1; kill <= kills; kill++)); do
    mark
    toggler_starts toggle --verbose --delay $delay --settle 15s --probe none $station
    # Wait until the program has entered a random state, and then for a random time. So any state can be hit, however
    # slow the emulated processor is.
    state=${states[RANDOM % ${#states[@]}]}
    until grep -qs "→ $state" "$scratch/program.err" || program_has_ended; do :; done
    moment=$((spans[RANDOM % ${#spans[@]}] * RANDOM / 32768))
    read -rt "0.$(printf '%03d' $moment)" -u "$never" || :
    death=$(day_seconds)
    kill -KILL "$program" 2>/dev/null || :
    wait "$program" 2>/dev/null || :
    within 10 "the link is up after kill $kill (seed $seed)" is_up
    # The time of the kernel's announcement does not depend on when this shell looks.
    took=$(raised_after "$death")
    ((took <= 1000)) || fail "the link is up within a second of kill $kill (seed $seed)" "after $took ms"
    ((took <= slowest)) || slowest=$took
    # A process that was killed before exec has no output yet.
    hit=$(cat "$scratch"/program.er[r] | sed -n 's/.* → //p' | tail -n 1)
    rm -f "$scratch/program.err"
    hits[${hit:-starting}]=$((${hits[${hit:-starting}]-0} + 1))
    within 20 "kill $kill, while ${hit:-starting}: all is back" as_before
    within 20 "neither guard nor record is left" nothing_left
    unlocked || fail "the lock is free"
    association
    pings
done
{
    echo "kill sweep over Wi-Fi: $kills kills, seed $seed, slowest to be up ${slowest} ms"
    for hit in "${!hits[@]}"; do echo "  $hit: ${hits[$hit]}"; done | sort
} | tee "$REPORT"
# A kill that comes after the bounce tests nothing. A few kills may all meet the same state by chance.
if ((kills >= 10)); then
    ((${hits[finished]-0} * 2 <= kills)) || fail "most kills hit a bounce" "${hits[finished]} of $kills came after it"
    ((${#hits[@]} >= 3)) || fail "kills hit several states" "${!hits[*]}"
fi
