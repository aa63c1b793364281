# How soon a bounce beside a network manager is over: this program's, and one by two calls of ip. (up to 60 s)
# There are WIFI_TOGGLER_REPEAT turns, each with one bounce of each kind that keeps the link down for WIFI_TOGGLER_DELAY
# seconds, beside WIFI_TOGGLER_MANAGER. The report has a line of JSON for each bounce (see stopwatch.c).
. "$LAB/matrix.sh"
delay=${WIFI_TOGGLER_DELAY:-1} manager=${WIFI_TOGGLER_MANAGER:-static} turns=${WIFI_TOGGLER_REPEAT:-1}
# A supplicant knows the name of its network, and seldom the frequency, so it scans all channels.
frequency=
# The time limit of a recovery, in seconds.
longest=60
# Managers continue to work after the first ping, for example with an IPv6 route. Wait this many seconds.
rest=3

declare -A kinds=(
    [ip]="ip link set %s down; sleep $delay; ip link set %s up"
    [toggle]="exec $WIFI_TOGGLER toggle --quiet --delay ${delay}s %s"
)
names=(ip toggle)
if "$WIFI_TOGGLER" toggle --help | finds -e --no-fast-reconnect; then
    kinds[plain]="exec $WIFI_TOGGLER toggle --quiet --no-fast-reconnect --delay ${delay}s %s"
    names+=(plain)
fi

# Adds an administrator's routes, but no address. After a bounce with ip(8), iwd's own address would follow that
# address, packets would have the wrong source, and no ping would be answered.
foreign_additions() {
    ip route add 198.51.100.0/24 via $gateway dev $station proto static metric 7
    ip route add 203.0.113.0/24 dev $station proto static table 100
}

# Restores what a bounce with ip(8) has destroyed and no manager restores: otherwise the next bounce would have less to
# do.
ready() {
    rm -rf /var/lib/wifi-toggler
    add_again
    within $time_limit "$title says that it is connected" says_so
    has_default_route || default_route
    read -rt $rest -u "$never" || :
}

bounce() {
    local figures
    ready
    # shellcheck disable=SC2059 # the station's name is inserted
    figures=$("$STOPWATCH" $station $gateway $longest sh -c "${kinds[$1]//%s/$station}" 2>>"$scratch/stopwatch.log") || :
    [[ $figures == *'"status"'* ]] || fail "the bounce was watched" "$(<"$scratch/stopwatch.log")"
    tell "$1: $figures"
    echo "{\"manager\":\"$title\",\"kind\":\"$1\",${figures#\{}" >>"$REPORT"
}

# The guest's files are those of the host (9p). The guest drops a file's cached pages when the last process closes it,
# while on a real machine programs that run repeatedly stay in memory. So keep the programs of both sides open here.
for program in sh ip sleep "$WIFI_TOGGLER"; do exec {held}<"$(type -P "$program")"; done

beside "$manager"
for ((turn = -1; turn < turns; turn++)); do
    # The order alternates from turn to turn. The first turn only loads the programs into memory.
    ((turn >= 0)) || kept=$REPORT REPORT=/dev/null
    if ((turn % 2)); then
        for ((kind = 0; kind < ${#names[@]}; kind++)); do bounce "${names[kind]}"; done
    else
        for ((kind = ${#names[@]} - 1; kind >= 0; kind--)); do bounce "${names[kind]}"; done
    fi
    ((turn >= 0)) || REPORT=$kept
done
