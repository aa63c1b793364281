# The catalogue of faults. They are tried one after the other with the same access point. Each entry says what the
# program must report and do.
#
# An entry is a file of `catalogue/GROUP/`. Its first line is the fault's name. It sets those of these variables for
# which the default below is wrong:
#   layer       the layer that the program must name; `-` if it must not find a fault; `LAYER?` if it may name this
#               layer or find no fault
#   action      what the program must do: `bounced`, `skipped`, `refused`, one of several (`held|skipped`), or `none`
#   bounces     the least and the greatest permitted number of bounces, `LEAST-MOST`
#   others      how often the entry itself lowers and raises the link
#   notice      within how many seconds the layer must be named
#   recovery    within how many seconds the link must be healthy: after `heal`, or after `inject` if there is no `heal`
#   cycles      how many checks a harmless condition must outlast
#   words       a pattern for what the evidence of the layer must say
#   options     options of the program, in addition to those below
#   variant     `yes` if the entry is much like another one; it runs only if the whole catalogue is requested
# It defines the function `inject`, and if needed `prepare`, `heal`, `intact` and `tidy`.
# shellcheck shell=bash disable=SC2034,SC2154 # sourced after expect.sh; variables are for the entries

gateway_link=br0
gateway6=fd77::1
# A host beyond the gateway (its address is from RFC 5737).
provider=192.0.2.1
frequency='2412 2437'
radio_count=4
# The seconds to wait for a condition. They are many, because a set-up that fails ends the whole group.
time_limit=60
# The domains that the radios get (HWSIM_REGTEST_* in mac80211_hwsim.c): they allow the access point the channels 36 to
# 48, and forbid them to the station.
regulatory_test=6
# The kinds of network (kinds.sh) in which the entries run, instead of the lab's own.
kinds_here=()
# The routes and addresses at the start of each entry, if they are always the same.
pristine=""
# The radios of the second access point and of the second station.
second_access_point=wlan2 second_station=wlan3

## The network

# new_network: sets up everything anew. The access point's radios and the gateway share a bridge, so that the gateway is
# a machine behind the access point.
new_network() {
    # This kills all processes except this shell in this process-ID namespace.
    kill -KILL -1 2>/dev/null || :
    wait 2>/dev/null
    ip netns del ap 2>/dev/null || :
    modprobe -r mac80211_hwsim
    rm -rf "${scratch:?}"/* /run/wifi-toggler /var/lib/wifi-toggler /run/hostapd /run/wpa_supplicant
    modprobe mac80211_hwsim radios=$radio_count regtest=$regulatory_test
    # Load the modules first: loading them later would delay the fault.
    modprobe -a sch_ingress cls_matchall cls_u32 act_gact sch_netem
    ip netns add ap
    iw phy "$(phy_of wlan0)" set netns name ap
    iw phy "$(phy_of $second_access_point)" set netns name ap
    ip -n ap link set lo up
    ip -n ap link add $gateway_link type bridge forward_delay 0
    ip -n ap link set $gateway_link up
    gateway_speaks
    provider_lives
    record
    access_point bridge=$gateway_link
    set_up
}

# Sets up the state from which each entry of a group starts.
set_up() {
    supplicant
    association
    static_address
    static_routes
    pings
    pristine=$(layer_three)
}
# After a block by rfkill, the program may have restored the routes already.
static_routes() {
    default_route
    ip route replace 198.51.100.0/24 via $gateway dev $station proto static metric 7
}

provider_lives() { ip -n ap address add $provider/32 dev lo; }
provider_dies() { ip -n ap address del $provider/32 dev lo; }

# drops ingress|egress PROTOCOL...: makes the access point's radio drop packets of these protocols from its stations
# (ingress), or to them (egress).
drops() {
    local direction=$1 protocol
    shift
    in_access_point tc qdisc replace dev wlan0 clsact
    for protocol; do
        in_access_point tc filter add dev wlan0 "$direction" protocol "$protocol" matchall action drop
    done
}
# drops_questions: makes the access point drop the stations' packets to name servers.
drops_questions() {
    in_access_point tc qdisc replace dev wlan0 clsact
    in_access_point tc filter add dev wlan0 ingress protocol ip u32 match ip protocol 17 0xff \
        match ip dport 53 0xffff action drop
}
drops_nothing() { in_access_point tc qdisc del dev wlan0 clsact; }

# impair ARGUMENT...: delays or drops packets of the gateway to the bridge (tc-netem(8)).
impair() { in_access_point tc qdisc replace dev $gateway_link root netem "$@"; }
impair_nothing() { in_access_point tc qdisc del dev $gateway_link root; }

# Starts a second access point of the same network on channel 6.
second_access_point() {
    sed "s/^interface=.*/interface=$second_access_point/; s/^channel=.*/channel=6/" "$scratch/hostapd.conf" \
        >"$scratch/second.conf"
    ip netns exec ap hostapd -t "$scratch/second.conf" >>"$scratch/second.log" 2>&1 &
    echo $! >"$scratch/second.pid"
    within $time_limit "the second access point is up" \
        in_access_point grep -q up "/sys/class/net/$second_access_point/operstate"
}

# Adds a second link of this machine to the same subnet: by another radio, or by a wire.
second_station() {
    local station=$second_station station_address=10.77.0.3
    supplicant
    echo "$supplicant_process" >"$scratch/second.pid"
    association
    static_address
    ip route add default via $gateway dev $station metric 600
    pings
}
second_ends() { kill "$(<"$scratch/second.pid")"; }
wire() {
    ip link add lab0 type veth peer name lab1 netns ap
    ip -n ap link set lab1 master $gateway_link up
    ip link set lab0 up
    ip address add 10.77.0.4/24 dev lab0
    ip route add default via $gateway dev lab0 metric 50
}

# Adds a second uplink to another network, with the preferred default route. The strict rp_filter of the kernel drops a
# packet if the route to its sender is through another link.
other_gateway=10.88.0.1
other_uplink() {
    ip link add up0 type veth peer name up1 netns ap
    ip -n ap address add $other_gateway/24 dev up1
    ip -n ap link set up1 up
    ip link set up0 up
    ip address add 10.88.0.2/24 dev up0
    ip route add default via $other_gateway dev up0 metric 50
    ip route del default via $gateway dev $station
    ip route add default via $gateway dev $station metric 600
    echo 1 | tee /proc/sys/net/ipv4/conf/{up0,$station}/rp_filter >/dev/null
}
other_uplink_ends() {
    echo 0 >/proc/sys/net/ipv4/conf/$station/rp_filter
    ip link del up0
    ip route del default via $gateway dev $station
    default_route
}

# lease_server SUBNET FIRST: starts a DHCP server that knows no earlier leases. Its leases last for twenty seconds, the
# shortest time that dhcpcd accepts.
lease_server() {
    rm -f "$scratch/udhcpd.leases"
    cat >"$scratch/udhcpd.conf" <<END
start $1.$2
end $1.$(($2 + 9))
max_leases 10
interface $gateway_link
pidfile $scratch/udhcpd.run
lease_file $scratch/udhcpd.leases
min_lease 10
option lease 20
option subnet 255.255.255.0
option router $1.1
END
    ip netns exec ap busybox udhcpd -f -a 0 "$scratch/udhcpd.conf" >>"$scratch/udhcpd.log" 2>&1 &
    echo $! >"$scratch/udhcpd.pid"
}
lease_server_dies() { kill -KILL "$(<"$scratch/udhcpd.pid")"; }
lease_client() {
    printf 'noarp\nnoipv4ll\nreboot 2\nnohook resolv.conf, hostname, timesyncd\n' >"$scratch/dhcpcd.conf"
    dhcpcd --nobackground --config "$scratch/dhcpcd.conf" --ipv4only "$station" >>"$scratch/dhcpcd.log" 2>&1 &
    within $time_limit "$station has a lease" has_default_route
    pings
}

# A name server beyond the gateway. It has no upstream server, and refuses names that are not in its hosts file.
public_name=public.example public_address=93.184.216.34
name_server() {
    echo "$public_address $public_name" >"$scratch/hosts"
    ip netns exec ap dnsmasq --keep-in-foreground --conf-file=/dev/null --no-resolv --no-hosts --pid-file= \
        --user=root --bind-interfaces --listen-address=$provider --addn-hosts="$scratch/hosts" \
        >>"$scratch/names.log" 2>&1 &
    name_server=$!
    within $time_limit "the name server listens" listens udp 53
}
# name_server_says [ADDRESS]: sets the address of the name. Without an address, removes the name.
name_server_says() {
    echo "${1:+$1 $public_name}" >"$scratch/hosts"
    kill -HUP $name_server
}
name_server_ends() { kill $name_server; }

# Starts a web server beyond the gateway. It answers every request with the text that `page` has set last.
page_server() {
    # shellcheck disable=SC2016 # the inner shell expands it
    ip netns exec ap busybox nc -ll -p 80 -e busybox sh -c \
        'while read -r line && [ "${#line}" -gt 1 ]; do :; done; cat "$0"' "$scratch/page" >>"$scratch/pages.log" 2>&1 &
    page_server=$!
    within $time_limit "the web server listens" listens tcp 80
}
# page LINE...: sets the status and the header lines of the answer.
page() {
    printf '%s\r\n' "HTTP/1.1 $1" "${@:2}" 'Connection: close' '' >"$scratch/page.new"
    mv "$scratch/page.new" "$scratch/page"
}
page_server_ends() { kill $page_server; }

# listens udp|tcp PORT: whether a server beyond the gateway listens on this port.
listens() { in_access_point grep -qi "^ *[0-9]*: [0-9A-F]*:$(printf '%04x' "$2") " /proc/net/"$1"{,6}; }

web_server() { ip netns exec ap busybox httpd -f -p 80 -h "$scratch" & server=$!; }
web_server_ends() { kill $server; }

# Sets up a VPN as OpenVPN does: two routes that are more specific than the default route.
tunnel() {
    ip link add vpn0 type dummy
    ip address add 10.99.0.2/24 dev vpn0
    ip link set vpn0 up
    ip route add 0.0.0.0/1 dev vpn0
    ip route add 128.0.0.0/1 dev vpn0
}

# is_on MHZ, joined BSSID: whether the station is associated on this frequency, or with this access point.
is_on() { iw dev $station link | finds "freq: $1"; }
joined() { iw dev $station link | finds "Connected to $1" && operational; }

changes_of() { local station=$1; changes; }

## One entry

# listen_to ARGUMENT...: starts the program and opens its events for reading, each line as soon as it is written.
listen_to() {
    rm -f "$scratch"/{events,program.out}
    mkfifo "$scratch/events"
    exec {events}<>"$scratch/events"
    command_line="wifi-toggler $*" part="" last="" sick=0
    env --default-signal "$WIFI_TOGGLER" "$@" >"$scratch/events" 2>"$scratch/program.err" </dev/null {events}>&- &
    program=$!
}
listen_no_more() {
    kill -TERM "$program"
    within 15 "the program ends" program_has_ended
    status=0
    wait "$program" || status=$?
    expect_status 0
    exec {events}>&-
}

# await SECONDS SENTENCE PATTERN: reads events until one of the station matches.
await() {
    local deadline=$((${EPOCHREALTIME/./} + $1 * 1000000)) rest
    until rest=$((deadline - ${EPOCHREALTIME/./})) && ((rest <= 0)); do
        next_event "$rest" || continue
        [[ ! $event =~ $3 ]] || { tell "$2"; return; }
    done
    fail "$2" "not so within $1 s; the last event: ${last:-none}"
}
# next_event MICROSECONDS: reads the next event of the station into `event`.
next_event() {
    local wait
    printf -v wait '%d.%06d' $(($1 / 1000000)) $(($1 % 1000000))
    # If the line is incomplete at the time-out, its part is kept for the next call.
    IFS= read -r -t "$wait" -u "$events" event || { part+=$event; return 1; }
    event=$part$event part="" last=$event
    printf '%s\n' "$event" >>"$scratch/program.out"
    [[ $event == *"\"interface\":\"$station\""* ]] || return 1
    [[ ! $event =~ '"verdict":"sick"' ]] || sick=$((sick + 1))
    [[ ! $event =~ '"verdict":"sick","layer":"'([a-z]+) ]] || found+=("${BASH_REMATCH[1]}")
    [[ ! $event =~ '"action":"'(bounced|raised|failed)\" ]] || acts+=("${BASH_REMATCH[1]}")
}
# Discards the events that have arrived so far.
past_events() { while read -t 0 -u "$events"; do next_event 100000 || :; done; }

# seconds_since MICROSECONDS: the seconds since then, with one decimal.
seconds_since() {
    local tenths=$(((${EPOCHREALTIME/./} - $1) / 100000))
    printf '%d.%d' $((tenths / 10)) $((tenths % 10))
}

layer_three() {
    ip route show table all dev $station | grep -v 'fe80:\|ff00:' | sort
    ip -oneline address show dev $station scope global | sed 's/\\.*//'
}
watched=()
healthy_event='"verdict":"healthy".*"action":"(none|bounced)"'

# entry FILE: runs one entry. Call it in a subshell.
entry() {
    local title injected healed noticed=- healthy count most recording=()
    title=$(title_of "$1")
    layer=- words="" action=none bounces=0-0 others=0 notice=15 recovery=30 cycles=5 options=() watched=("$station")
    prepare() { :; }
    tidy() { :; }
    intact() { [[ $(layer_three) == "$before" ]]; }
    unset -f inject heal
    # shellcheck source=/dev/null
    . "$1"
    tell "=== $title"
    # Each fault starts without stored state: the results of earlier bounces must not have an effect.
    rm -rf /var/lib/wifi-toggler
    prepare
    before=$(layer_three)
    mark
    if [[ ${WIFI_TOGGLER_TRACES-} ]]; then
        rm -f "$scratch/entry.trace"
        recording=(--record "$scratch/entry.trace")
    fi
    listen_to run --json "${recording[@]}" --interval 1s --fall 2 --rise 1 --recheck 300ms --timeout 500ms \
        --delay 300ms --settle 3s --backoff 5s --grace 0 "${options[@]}" "${watched[@]}"
    await 40 "it is healthy before" "$healthy_event"
    past_events
    sick=0 found=() acts=()

    injected=${EPOCHREALTIME/./}
    inject
    tell "the fault is there"
    case $layer in
    - | *\?) for ((count = 0; count < cycles; count++)); do await "$notice" "it checks" '"verdict"'; done ;;
    *)
        await "$notice" "the layer at fault is $layer" \
            "\"verdict\":\"sick\",\"layer\":\"$layer\"${words:+.*$words}"
        noticed=$(seconds_since "$injected")
        ;;
    esac
    [[ $layer != - ]] || ((sick == 0)) || fail "no sick verdict" "$sick of them"

    healed=$injected
    if declare -F heal >/dev/null; then
        acted
        heal
        healed=${EPOCHREALTIME/./}
        tell "the fault is gone"
        past_events
    fi
    await "$recovery" "it is healthy again" "$healthy_event"
    healthy=$(seconds_since "$healed")
    pings
    within 10 "no route and no address is lost" intact
    listen_no_more
    only_expected
    [[ ! ${recording[*]} ]] || replays "$scratch/entry.trace" "$TRACE-$(basename "$1" .sh)${kind:+-$kind}.trace"
    is_up || fail "the link is up"
    count=$(($(changes | grep -c up || :) - others))
    most=${bounces#*-}
    # If the access point itself may spoil an association (kinds.sh), allow one more bounce.
    [[ ${spoils-no} == no ]] || ((most == 0 || ++most))
    ((count >= ${bounces%-*} && count <= most)) || fail "${bounces%-*} to $most bounces" "$count: $(changes)"
    tidy
    [[ ! $pristine || $(layer_three) == "$pristine" ]] || fail "routes and addresses are as before" "$(layer_three)"
    printf '%s|%s|%s|%s|%s|%s\n' "$title" "$layer" "$action" "$noticed" "$healthy" "$count" >>"$ROWS"
}
# Fails if the program did something else than the entry expects, or, if it may find no fault (`LAYER?`), if it named
# another layer.
only_expected() {
    local one
    for one in "${acts[@]}"; do
        [[ $one =~ ^($action)$ || $one == bounced && $bounces != *-0 ]] || fail "no other action than $action" "${acts[*]}"
    done
    [[ $layer == *\? ]] || return 0
    for one in "${found[@]}"; do
        [[ $one == "${layer%\?}" ]] || fail "no other layer than ${layer%\?}" "${found[*]}"
    done
}
# Waits for the action before the fault is healed, if the fault lasts longer than the action. The event that has named
# the layer may itself be that action.
acted() {
    local done="\"action\":\"($action)\""
    [[ $action != none ]] || return 0
    [[ $last =~ $done ]] || await 30 "what it does: $action" "$done"
    [[ $last =~ $done ]] && action=${BASH_REMATCH[1]}
}

## All of a group

title_of() { echo "$(sed -n '1s/^# //p' "$1")${kind:+; $kind_title}"; }

# catalogue GLOB...: runs these entries, in each of the kinds, WIFI_TOGGLER_REPEAT times. If one fails, the others still
# run.
catalogue() {
    local file glob kind failed=() count
    for ((count = 0; count < ${WIFI_TOGGLER_REPEAT:-1}; count++)); do
        for kind in "${kinds_here[@]:-}"; do
            [[ ! $kind ]] || kind "$kind"
            new_network
            for glob; do
                for file in "$LAB"/catalogue/$glob.sh; do attempt "$file"; done
            done
        done
    done
    ((${#failed[@]} == 0)) || { echo "failed: ${failed[*]}"; exit 1; }
}
attempt() {
    local status=0
    [[ ${has_key-} != no ]] || ! grep -q key_changes "$1" || return 0
    ! grep -q '^variant=yes' "$1" || [[ ${WIFI_TOGGLER_WHOLE-} ]] || return 0
    # shellcheck disable=SC2053 # a glob
    [[ $(basename "$1" .sh) == ${WIFI_TOGGLER_FAULT:-*} ]] || return 0
    # The entry runs in a subshell, whose marks are not counted here. Leave a gap, so that no later entry repeats them.
    marks=$((marks + 100))
    entry "$1" &
    wait $! || status=$?
    ((status)) || return 0
    failed+=("$(basename "$1" .sh)${kind:+-$kind}")
    printf '%s|FAILED||||\n' "$(title_of "$1")" >>"$ROWS"
    new_network
}
