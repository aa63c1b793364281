# NetworkManager gives up after wrong keys: told to reconnect, it brings the link back. (up to 700 s) (on day 4 of 8)
. "$LAB/matrix.sh"

# device_is NUMBER REASON: whether NetworkManager reports this state of the station, and this reason.
device_is() {
    [[ $(nmcli -g GENERAL.STATE device show $station) == "$1 "* ]] &&
        [[ $(nmcli -g GENERAL.REASON device show $station) == "$2 "* ]]
}
disconnected() { device_is 30 "$1"; }

# given_up: whether NetworkManager stays disconnected. Between two attempts to connect, it reports the same state for two
# or three seconds.
given_up() {
    local second
    for second in {1..10}; do
        disconnected 0 || return 1
        sleep 1
    done
}

# gives_up: makes NetworkManager give up while the network is available as before.
gives_up() {
    access_point_dies
    access_point "wpa_psk=$wrong_key"
    within 150 "NetworkManager has given up" given_up
    access_point_dies
    access_point
    no_ping
}

# revived ARGUMENT...: recovers the link. On a busy machine a handshake may fail, and NetworkManager gives up again; so
# this repeats.
revived() {
    local attempt
    for attempt in 1 2 3; do
        toggler reconnect --fall 1 --backoff 0 --settle 20s --json "$@" $station
        [[ $status != 0 ]] || break
        tell "NetworkManager's attempt $attempt to connect has failed"
    done
    expect_status 0
    says_so || fail "NetworkManager says that it is connected"
    pings
}

beside networkmanager

tell "the polkit rule of the package names actions that NetworkManager has"
for action in $(grep -o 'org\.freedesktop\.NetworkManager[A-Za-z.-]*' "$LAB/../../contrib/wifi-toggler.polkit"); do
    grep -q "action id=\"$action\"" /usr/share/polkit-1/actions/org.freedesktop.NetworkManager.policy ||
        fail "NetworkManager has the action $action"
done

tell "a link that NetworkManager gave up does not come back, not even by a bounce"
gives_up
toggler reconnect --fall 1 --method bounce --settle 15s $station
expect_status 1
disconnected 0 || fail "NetworkManager stays disconnected"

tell "doctor reports that NetworkManager has given up, and changes nothing"
# After the bounce, NetworkManager knows of no network until its next scan; it has not given up a network out of range.
found_again() { nmcli -g SSID device wifi list ifname $station | finds "^$network_name\$"; }
within $time_limit "NetworkManager has found the network again" found_again
toggler doctor --json $station
expect_json '.finding == "owner-gave-up" and .severity == "warning" and .reason == "NetworkManager has given up connecting it, and no user asked for that"'
disconnected 0 || fail "NetworkManager stays disconnected"

tell "the owner is told to reconnect, and the link stays up"
mark
revived
expect_json '.verdict == "healthy" and .action == "recovered" and .methods == ["owner"] and .down_ms == 0'

tell "with --method owner the result is the same"
gives_up
revived --method owner
expect_json '.action == "recovered" and .methods == ["owner"]'

tell "a link that a user disconnects is left alone"
for command in "device disconnect $station" "connection down $network_name"; do
    nmcli $command >/dev/null
    within $time_limit "NetworkManager is disconnected by a user" disconnected 39
    toggler doctor --json $station
    expect_json '.finding == "owner-told-to-disconnect" and .severity == "note"'
    mark
    toggler reconnect --fall 1 --backoff 0 --settle 5s --json $station
    expect_status 1
    expect_json '.action == "held" and (.evidence[] | select(.probe == "owner").detail) == "NetworkManager was told to disconnect"'
    not_bounced || fail "no bounce" "$(changes)"
    toggler reconnect --fall 1 --backoff 0 --method owner --settle 5s $station
    [[ $status != 0 ]] || fail "the link stays disconnected"
    disconnected 39 || fail "NetworkManager stays disconnected"
    within $time_limit "the user connects again" nm_rejoins
    within $time_limit "NetworkManager says that it is connected" says_so
    pings $time_limit
done
