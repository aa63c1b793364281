# A station that is a port of another interface, its master. A wire to the same gateway can be the master's other port.
#
# A scenario sets `master`, its `kind` as the program calls it, and `holder`: the interface that has the address and the
# routes.
# shellcheck shell=bash disable=SC2034,SC2154 # sourced after expect.sh; variables are for the scenarios

wire=lab0
# What the program says of the port while the master's traffic passes through it, and while it does not.
in_use='its traffic passes through this port' idle='no traffic passes through this port'

static_address() { ip address add $station_address/24 dev $holder; }
default_route() { ip route replace default via $gateway dev $holder; }
answers() { ping -q -c 1 -W 1 -I $holder $gateway >/dev/null 2>&1; }

# lan [OPTION]...: makes the gateway a machine behind the access point, on a bridge with these options.
lan() {
    gateway_mutes
    gateway_link=lan0
    ip -n ap link add $gateway_link type bridge forward_delay 0 "$@"
    ip -n ap link set $gateway_link up
    gateway_speaks
}

# The wire has no carrier until it is plugged in.
wire() {
    ip link add $wire type veth peer name lab1 netns ap
    ip -n ap link set lab1 master $gateway_link
}
plug_in() { ip -n ap link set lab1 up; }

# master_of PORT...: makes these the master's ports. Later scenarios have the same network namespace, so the master is
# removed at the end.
master_of() {
    local port
    trap 'ip link del $master' EXIT
    for port; do
        ip link set $port down
        ip link set $port master $master
        ip link set $port up
    done
    ip link set $master up
}
is_port() { [[ $(readlink /sys/class/net/$station/master) == */$master ]]; }

layer_three() {
    ip route show table all dev $holder | grep -v 'fe80:\|ff00:' | sort
    ip -oneline address show dev $holder scope global | sed 's/\\.*//'
}
nothing_is_lost() {
    is_port || fail "$station is a port of $master"
    pings
    within 10 "no route and no address is lost" as_before
}
as_before() { [[ $(layer_three) == "$before" ]]; }

## The service

service_starts() {
    toggler_starts run --json --interval 1s --fall 2 --rise 1 --recheck 300ms --timeout 500ms --delay 300ms \
        --settle 30s --backoff 3s --grace 0 "$@"
    from_here
}
service_ends() {
    kill -TERM "$program"
    toggler_ends 15
    expect_status 0
}

# from_here: makes `checked` count from here on.
from_here() { past=$(wc -l <"$scratch/program.out"); }
checks_here() { tail -n "+$((past + 1))" "$scratch/program.out" | grep "\"interface\":\"${1:-$station}\"" || :; }
# checked COUNT PATTERN [INTERFACE]: whether the service has reported at least this many checks of the interface (the
# station) that match.
checked() { (($(checks_here "${3-}" | grep -c -- "$2" || :) >= $1)); }
# stays_healthy COUNT: expects this many healthy checks and no other, and no bounce since the mark.
stays_healthy() {
    from_here
    within 30 "$1 checks find it healthy" checked "$1" '"verdict":"healthy"'
    ! checked 1 '"verdict":"\(sick\|unknown\)"' ||
        fail "every check finds it healthy" "$(checks_here)"
    [[ ! $(changes) ]] || fail "no bounce" "$(changes)"
}
# shows PATTERN [INTERFACE]: expects this in what `status` prints about the interface (the station).
shows() {
    local shown
    shown=$("$WIFI_TOGGLER" status "${2:-$station}" 2>&1) || :
    finds -E -- "$1" <<<"$shown" || fail "status says '$1'" "$shown"
    tell "status says '$1'"
}

## What must hold with every master

# Starts the service, which then runs to the end of the scenario.
port_in_use_is_left_alone() {
    tell "the port is healthy, and the service leaves it alone"
    mark
    toggler probe --json $station
    expect_status 0
    expect_json ".evidence | any(.probe == \"master\" and .detail == \"$master ($kind), $in_use\")"
    service_starts $station
    stays_healthy 5
    shows "$station: healthy"
    shows "$master \($kind\), $in_use"
}

port_in_use_is_bounced() {
    tell "the access point forgets the station: one bounce cures it"
    before=$(layer_three)
    mark
    from_here
    access_point_forgets_station
    within 60 "the service has bounced it" checked 1 '"action":"bounced"'
    checked 1 '"verdict":"healthy".*"action":"bounced"' || fail "it is healthy after the bounce" "$(checks_here)"
    nothing_is_lost
    expect_bounces 1 0.3
    mark
    stays_healthy 3
}

# idle_port_is_left_alone COMMAND: checks that the service leaves an idle port alone. COMMAND makes the port idle.
idle_port_is_left_alone() {
    tell "the gateway dies, and the idle port is left alone"
    from_here
    "$@"
    within 30 "the service finds it idle" checked 1 "$idle"
    pings
    gateway_mutes
    ip neighbour flush dev $holder
    silent || fail "the gateway is silent"
    mark
    stays_healthy 5
    shows "$station: healthy"
    shows "$master \($kind\), $idle"
    gateway_speaks
    pings
}

# idle_port_is_bounced COMMAND: checks that the service bounces an idle port that has lost its access point. COMMAND
# starts the access point again.
idle_port_is_bounced() {
    tell "the idle port loses its access point, and is bounced"
    before=$(layer_three)
    mark
    from_here
    access_point_dies
    disassociation
    within 60 "the service names the association" checked 1 '"verdict":"sick","layer":"association"'
    within 60 "the service has tried a bounce" has_bounced 1
    "$@"
    within 120 "the station is back" operational
    from_here
    within 60 "the service finds it healthy" checked 1 '"verdict":"healthy"'
    nothing_is_lost
}
