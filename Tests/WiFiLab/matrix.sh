# The matrix: what the program must not break beside a network manager. Each column (cell) is one situation.
#
# A row is a manager (managers.sh). Each cell begins with a healthy link that has additional routes and addresses beside
# the manager's. At its end, a ping must be answered, everything must be as before, and the manager must say that it is
# connected. A cell shows the time from the last raise to the first answered ping. For rfkill, the time begins with the
# unblock; for the method owner, which raises nothing, with the request.
# A manager's file may say that a cell is impossible: `impossible[CELL]="why"`.
# shellcheck shell=bash disable=SC2034,SC2154 # sourced after expect.sh
. "$LAB/managers.sh"
. "$LAB/fast-reconnect.sh"

cells=(toggle-0 toggle-0.2 toggle-3 toggle-5 fast_reconnects sick force killed owner rfkill-0 rfkill-3 disconnect)
service=(run --verbose --interval 2s --fall 2 --rise 1 --recheck 500ms --delay 500ms --settle 40s --grace 0)

## The time that a cell reports

# Sends pings, but only while the link is operational: a ping that is sent too early makes the kernel wait for a second.
pinger() {
    local state now
    while :; do
        { read -r state <"/sys/class/net/$station/operstate"; } 2>/dev/null || state=gone
        if [[ $state == up ]] && answers; then
            now=$EPOCHREALTIME
            printf '%(%H %M %S)T.%s\n' "${now%.*}" "${now#*.}" >>"$scratch/pings"
        fi
        pause
    done
}
# first_ping SECOND: the seconds from that second of the day to the first answered ping after it.
first_ping() {
    awk -v since="$1" '
        { second = ($1 * 60 + $2) * 60 + $3 }
        second >= since { printf "%.1f", second - since; found = 1; exit }
        END { if (!found) printf "none" }' "$scratch/pings"
}
pinged_since() { [[ $(first_ping "$1") != none ]]; }
# note_ping SECOND: records the time of a cell. Waits until a ping of `pinger` was answered: the pings by which earlier
# conditions were met do not count.
note_ping() {
    within 20 "a ping was answered" pinged_since "$1"
    told=$(first_ping "$1")
}
second_of_day() {
    local now=$EPOCHREALTIME clock
    printf -v clock '%(%H %M %S)T' "${now%.*}"
    awk -v fraction="${now#*.}" '{ printf "%.3f", ($1 * 60 + $2) * 60 + $3 + fraction / 1000000 }' <<<"$clock"
}
last_raise() { changes | sed -n 's/^up //p' | tail -n 1; }

intact() { [[ $(belongings) == "$before" ]]; }

# back SECONDS: expects that the gateway answers within this time, that all addresses and routes are back, and that the
# manager says that it is connected.
back() {
    within "$1" "$gateway answers over Wi-Fi" answers
    within 20 "everything is as it was" intact_or_said
    within 20 "$title says that it is connected" says_so
}
# Reports the missing items if they stay missing.
intact_or_said() {
    intact && return
    diff <(echo "$before") <(belongings) >"$scratch/difference.log"
    return 1
}

# After its first healthy check the service records what a block of the radio would destroy.
watch() {
    toggler_starts "${service[@]}" $station
    within 60 "the service has found it healthy twice" program_said 2 "$station: healthy"
}
watch_ends() {
    kill -TERM "$program"
    toggler_ends 15
    expect_status 0
    is_up || fail "the link is up at the end"
}

## The cells

toggle() {
    local first
    first=$(next_event)
    toggler toggle --delay "$1" --settle 40s --json $station
    back 40
    expect_status 0
    expect_way_back "$(what_happened "$first")" "$([[ $scans == all ]] && echo "$cut_short" || echo '!(*x*)')"
    expect_bounces 1 "${1%s}"
    note_ping "$(last_raise)"
}

fast_reconnects() {
    short_bounces "${WIFI_TOGGLER_BOUNCES:-3}"
    back 40
    told=$(printf '%s\n' "${recoveries[@]}" | sort -n | awk 'END { printf "%.1f", $1 / 1000 }')
}

# The access point forgets the station without telling it.
sick() {
    access_point_forgets_station
    no_ping
    toggler reconnect --json --delay 1s --fall 2 --recheck 500ms --settle 40s $station
    back 40
    expect_status 0
    expect_json '.verdict == "healthy" and .action == "bounced"'
    note_ping "$(last_raise)"
}

# The program must not lower the link, but the owner may.
owner() {
    local begun
    access_point_forgets_station
    no_ping
    toggler_starts reconnect --json --method owner --fall 2 --recheck 500ms --settle 40s $station
    within 60 "it asks the owner" program_said 1 'asking its owner to connect again'
    begun=$(second_of_day)
    toggler_ends 90
    back 40
    expect_status 0
    expect_json '.verdict == "healthy" and .action == "recovered" and .methods == ["owner"] and .down_ms == 0'
    note_ping "$begun"
}

# Five cycles of the plain timer. The slowest ping counts.
force() {
    local raise seconds
    toggler_starts run --force --interval "${beat}s" --delay 500ms --settle 40s --budget 3600 --backoff 0 $station
    within $((beat * 8)) "five bounces" has_bounced 5
    within 40 "$gateway answers over Wi-Fi" answers
    kill -TERM "$program"
    toggler_ends 60
    expect_status 0
    is_up || fail "the link is up at the end"
    back 40
    told=0
    while read -r raise; do
        seconds=$(first_ping "$raise")
        told=$(printf '%s\n' "$told" "$seconds" | sort -n | tail -n 1)
    done < <(changes | sed -n 's/^up //p')
}

killed() {
    toggler_starts toggle --verbose --delay 10s --settle 40s $station
    within 20 "the link is kept down" program_said 1 '→ keeping down'
    kill -KILL "$program"
    wait "$program" 2>/dev/null || :
    # This is less than the delay: a guard that waits for its end is too late.
    within 3 "the link is up again" is_up
    within $time_limit "$gateway answers, or the manager has given up" answers_or_gave_up
    if gave_up; then
        tell "the manager has given up in the bounce"
        toggler reconnect --json --fall 1 --backoff 0 --settle 40s $station
        expect_status 0
        expect_json '.verdict == "healthy" and .methods == ["owner"]'
    fi
    back 40
    note_ping "$(last_raise)"
}
answers_or_gave_up() { answers || gave_up; }

# blocked SECONDS: another program blocks the radio for this time while the service watches.
blocked() {
    local unblocked
    watch
    mark
    rfkill block "$(rfkill_of $station)"
    (($1 == 0)) || { within 10 "the kernel has lowered $station" is_down; read -rt "$1" -u "$never" || :; }
    rfkill unblock "$(rfkill_of $station)"
    unblocked=$(second_of_day)
    within 60 "the link is up" is_up
    back 60
    note_ping "$unblocked"
    watch_ends
}

# A user disconnects through the manager. The service must leave the link alone, whatever it measures.
respected() {
    local left_as count
    watch
    mark
    leave
    within $time_limit "nothing is answered over Wi-Fi" silent
    barrier
    left_as=$(link_state)
    within 30 "the service says what it sees" program_said 1 'sick|administratively down'
    for ((count = 0; count < 4; count++)); do
        kill -USR1 "$program"
        read -rt 2 -u "$never" || :
    done
    silent || fail "the link stays as the user left it"
    [[ $(link_state) == "$left_as" ]] || fail "the link is as the manager left it: $left_as" "$(link_state)"
    not_bounced || fail "no bounce" "$(changes)"
    told=$(grep -Eio 'of this machine left the network|administratively down' "$scratch"/program.{out,err} | sed 's/.*://' |
        tail -n 1)
    # On a busy machine a handshake may fail, so try again.
    within $time_limit "the user joins again" rejoin
    add_again
    back 60
    watch_ends
}
link_state() { is_up && echo up || echo down; }
# Fails if the link was down for more than 0.4 s and then up again: a bounce keeps it down for 0.5 s, while a manager sets
# it down only briefly, to change its address, or for good.
not_bounced() {
    changes | awk '
        $1 == "down" { lowered = $2 }
        $1 == "up" && lowered && $2 - lowered > 0.4 { bounced = 1 }
        END { exit bounced }'
}
# The program restores nothing on a link that a user has set down, so the user must add the items again.
add_again() {
    # The manager's own address may have come back, and must be the first.
    ip address del $foreign dev $station 2>/dev/null || :
    within $time_limit "$gateway answers over Wi-Fi" answers
    foreign_additions 2>/dev/null || :
}

# run_cell CELL: runs a cell. Call it in a subshell.
run_cell() {
    # Remove the state: because of the back-off, the bounces of the previous cell would delay those of this one.
    rm -rf /var/lib/wifi-toggler
    mark
    : >"$scratch/pings"
    pinger &
    pinger=$!
    case $1 in
    toggle-*) toggle "${1#toggle-}s" ;;
    rfkill-*) blocked "${1#rfkill-}" ;;
    disconnect) respected ;;
    *) "$1" ;;
    esac
    kill $pinger
    printf '%s|%s|%s\n' "$title" "$1" "${told:-none}" >>"$CELLS"
    tell "=== $title: $1: ${told:-none}"
}

## A row

new_row() {
    # This kills all processes except this shell in this process-ID namespace.
    kill -KILL -1 2>/dev/null || :
    wait 2>/dev/null
    ip netns del ap 2>/dev/null || :
    modprobe -r mac80211_hwsim
    # Keep the directory `layers`: it contains the managers' files, which are still mounted.
    find "$scratch" -mindepth 1 -maxdepth 1 ! -name layers -exec rm -rf {} +
    rm -rf /run/wifi-toggler /run/hostapd
    modprobe mac80211_hwsim radios=2
    station=wlan1
    radios
    record
    set_up
}
set_up() {
    unpacked_managers
    managed_network
    manage
    asked=$(milliseconds)
    within 90 "$gateway answers over Wi-Fi" first_answer
    within $time_limit "$title says that it is connected" says_so
    # The rest arrives with the router advertisements.
    [[ $title == *ifupdown* || $title == *static* ]] || within 30 "it has an address of IPv6" has_public_address6
    within 30 "it has a default route of IPv6" has_default_route6
    foreign_additions
    before=$(belongings)
    echo "$before"
}
# On a busy machine a handshake may fail. Some managers then connect only when they are asked again.
first_answer() {
    answers && return
    (($(milliseconds) < asked + 20000)) || { asked=$(milliseconds); again; }
    return 1
}
has_default_route6() { ip -6 route show default dev $station | finds default; }
has_public_address6() { ip -6 address show dev $station scope global -tentative | finds inet6; }

# beside MANAGER: sets up the manager's access point, and lets the manager set up the link.
beside() {
    declare -gA impossible=()
    beat=6 foreign=10.99.9.9/32 scans=few
    again() { :; }
    gave_up() { false; }
    title=$(sed -n '1s/^# //p' "$LAB/managers/$1.sh")
    # shellcheck source=/dev/null
    . "$LAB/managers/$1.sh"
    set_up
}

# row MANAGER: runs the cells of a manager. The others run even if one fails. Without --matrix, only the cell of the day
# runs (`run`).
row() {
    local manager=$1 cell failed=() wanted=${WIFI_TOGGLER_CELL:-*} known=0 tried=0
    beside "$manager"
    [[ $scans == all ]] || impossible[fast_reconnects]="the program never aborts its scans"
    for cell in "${cells[@]}"; do
        # shellcheck disable=SC2053 # this is a glob
        [[ $cell == $wanted ]] || continue
        known=$((known + 1))
        attempt "$cell"
        [[ ${impossible[$cell]-} ]] || tried=$((tried + 1))
    done
    ((known)) || fail "a column is called $wanted" "${cells[*]}"
    # If the cell of the day is impossible with this manager, the first one that is possible takes its place.
    [[ ! ${WIFI_TOGGLER_OF_TODAY-} ]] || for cell in "${cells[@]}"; do
        ((tried == 0)) && [[ ! ${impossible[$cell]-} ]] || continue
        attempt "$cell"
        tried=1
    done
    ((${#failed[@]} == 0)) || { echo "failed: ${failed[*]}"; exit 1; }
}
attempt() {
    local status=0
    if [[ ${impossible[$1]-} ]]; then
        printf '%s|%s|-\n' "$title" "$1" >>"$CELLS"
        return
    fi
    # The cell runs in a subshell, whose marks are not counted here. Leave a gap, so that no later cell repeats them.
    marks=$((marks + 100))
    tell "=== $title: $1"
    run_cell "$1" &
    wait $! || status=$?
    ((status)) || return 0
    failed+=("$1")
    printf '%s|%s|FAILED\n' "$title" "$1" >>"$CELLS"
    new_row
}
