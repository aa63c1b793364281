# Measures how long outages last: from the end of the fault, or from its start if only an action can end it, to the
# first answered ping. Each file of `measures/outages` is one class of outage. In each turn, each contestant gets this
# fault once. The order of the contestants alternates from turn to turn:
#   wifi-toggler  the service with its default settings and those of the packaged file
#   manager       the network manager alone
#   watchcat      a loop like that of OpenWrt's watchcat in its mode restart_iface (contrib/bench/peers), with the
#                 defaults of its init script: a ping every 60 s, and `ip link set down` and `up` when none has been
#                 answered for 120 s. Its host, 8.8.8.8, is the gateway here, as the lab has no Internet
#
# A file of `measures/outages` is sourced. It sets up a healthy link, and then calls `outage`. It has the functions
#   fault       makes the fault, and calls `counts` at the moment at which the measured time begins
#   heal        brings the link back if the contestant has not; it is called after each contestant
# and may have
#   is_back     whether the outage is over, if no ping can tell
#   service_starts, service_ends
#
# With one turn, the fault comes just after the service has found the link healthy, which is the worst moment for the
# service. With more turns, the faults are spread over the interval between two checks. The pings come from the access
# point, so that they cause no traffic of the station that would help a contestant to notice. They measure the time to
# about half a second.
# The report has a line of JSON for each outage. In it, `moment` is the time from the check to the fault, `seconds` is
# null if the outage lasted longer than `limit`, and `raises` is how often any program has set the link up.
# shellcheck shell=bash disable=SC2034,SC2154 # sourced after expect.sh

# In seconds: the goal for the longest outage with the service; the longest outage with which the measure passes; and
# the time for which the measure waits for the end of an outage. The slowest class lasts 88 s, close to the goal,
# and the times depend on how busy this machine is, because several guests share its processors. So an outage over the
# goal is only reported, and the measure fails only for an outage that the load cannot explain.
goal=90
bound=120
limit=240
# The time from one check to the next, and the time after the boot in which the service does not bounce; both are
# defaults.
interval=60 grace=60
turns=${WIFI_TOGGLER_REPEAT:-1}
contestants=(wifi-toggler manager watchcat)
settings=(run --verbose --power-save auto)

sleeps() { read -rt "$1" -u "$never" || :; }

# Sets up the link of a manager in a network without IPv6, in which it has no address left without a lease.
set_up_without_ipv6() {
    unpacked_managers
    access_point
    lease_server
    manage
    asked=$(milliseconds)
    within 90 "$gateway answers over Wi-Fi" first_answer
    within $time_limit "$title says that it is connected" says_so
}
lease_server_dies() { kill "$lease_server"; }

## The contestants

service_starts() {
    rm -rf /var/lib/wifi-toggler /run/wifi-toggler
    toggler_starts "${settings[@]}" "$station"
    within 60 "the service says that it is healthy" program_said 1 healthy
}
service_ends() {
    kill -TERM "$program"
    toggler_ends 60
}

# BusyBox has the sh, ping, sleep and ip of OpenWrt.
watchcat_starts() {
    mkdir -p "$scratch/applets"
    busybox --install -s "$scratch/applets"
    PATH=$scratch/applets sh "$LAB/../../contrib/bench/peers/like-watchcat.sh" 60 "$gateway" "$station" &
    watchcat=$!
}
watchcat_ends() {
    kill "$watchcat"
    wait "$watchcat" 2>/dev/null || :
}

starts() {
    case $1 in
    wifi-toggler) service_starts ;;
    watchcat) watchcat_starts ;;
    esac
}
ends() {
    case $1 in
    wifi-toggler) service_ends ;;
    watchcat) watchcat_ends ;;
    esac
}

## The outages

counts() {
    began=$(milliseconds)
    tell "$outage: the outage counts from here"
}
# other_key_for_a_time: the access point has another key for longer than a network manager tries to connect. The
# measured time begins when the key is right again.
other_key_for_a_time() {
    access_point_dies
    key_changes
    access_point
    sleeps 90
    access_point_dies
    key_returns
    access_point
    counts
}
is_back() { in_access_point ping -q -c 1 -W 1 -I $gateway "$reached" >/dev/null 2>&1; }
is_away() { ! is_back; }

# contest CONTESTANT MOMENT: makes one outage. Sets `told` to its length in seconds, with one decimal.
contest() {
    local began now raises
    tell "=== $outage: $1"
    reached=$(ip -4 -oneline address show dev "$station" to 10.77.0.0/24 | awk '{ sub("/.*", "", $4); print $4; exit }')
    mark
    starts "$1"
    sleeps "$2"
    fault
    told=''
    until is_back; do
        now=$(milliseconds)
        ((now - began < limit * 1000)) || { told="dark at $limit s"; break; }
        sleeps 0.2
    done
    now=$(milliseconds)
    [[ $told ]] || told=$(printf '%d.%d' $(((now - began) / 1000)) $(((now - began) % 1000 / 100)))
    raises=$(changes | grep -c up || :)
    tell "=== $outage: $1: $told, set up $raises times"
    printf '%s|%s|%s\n' "$outage" "$1" "$told" >>"$CELLS"
    printf '{"outage":"%s","contestant":"%s","moment":%s,"seconds":%s,"limit":%d,"raises":%d}\n' "$outage" "$1" "$2" \
        "$([[ $told == dark* ]] && echo null || echo "$told")" $limit "$raises" >>"$REPORT"
    ends "$1"
    heal
    within 60 "the link is healthy again" is_back
}

# outage TITLE: all turns of this class. Reports each outage with the service that lasted longer than `goal`, and fails
# if one lasted longer than `bound`.
outage() {
    local turn moment contestant order late=''
    outage=$1
    within "$grace" "the grace period after the boot is over" grace_is_over
    for ((turn = 0; turn < turns; turn++)); do
        moment=$((turn * interval / turns))
        order=("${contestants[@]}")
        ((turn % 2 == 0)) || order=(watchcat manager wifi-toggler)
        for contestant in "${order[@]}"; do
            contest "$contestant" $moment
            [[ $contestant == wifi-toggler ]] || continue
            lasts_at_most $goal || report_over_goal
            lasts_at_most $bound || late+=" $told"
        done
    done
    [[ ! $late ]] || fail "$outage: with wifi-toggler the outage lasts at most $bound s" "seconds:$late"
}
grace_is_over() { (($(milliseconds) >= grace * 1000)); }
# lasts_at_most SECONDS: whether the last outage lasted at most so long.
lasts_at_most() { [[ $told != dark* ]] && ((${told/./} <= $1 * 10)); }
# Writes a warning to the log of this scenario, and to the report that `run` prints last.
report_over_goal() {
    tell "=== WARNING: $outage: with wifi-toggler $told s, and the goal is at most $goal s"
    printf 'WARNING: outage over the goal of %d s with wifi-toggler: %s: %s\n' $goal "$outage" "$told" >>"$REPORT"
}
