# NetworkManager gives up when the access point has another key for a while; `--method owner` brings the link back.
. "$LAB/matrix.sh"

# device_is NUMBER REASON: NetworkManager's state of the station, and its reason.
device_is() {
    [[ $(nmcli -g GENERAL.STATE device show $station) == "$1 "* ]] &&
        [[ $(nmcli -g GENERAL.REASON device show $station) == "$2 "* ]]
}
disconnected() { device_is 30 "$1"; }

beside networkmanager

tell "the access point has another key until NetworkManager has given up"
access_point_dies
access_point "wpa_psk=$wrong_key"
# It leaves the state between two attempts, too, but then with another reason.
within 120 "NetworkManager has given up" disconnected 0
access_point_dies
access_point
no_ping

tell "it does not come back by itself, nor by a bounce"
toggler reconnect --fall 1 --method bounce --settle 30s $station
expect_status 1
disconnected 0 || fail "NetworkManager stays disconnected"

tell "the owner is asked, and the link is healthy"
mark
toggler reconnect --fall 1 --backoff 0 --method owner --settle 30s --json $station
expect_status 0
expect_json '.verdict == "healthy" and .action == "reconnected" and .methods == ["owner"] and .down_ms == 0'
says_so || fail "NetworkManager says that it is connected"
pings

tell "a user who disconnects is obeyed"
for wish in "device disconnect $station" "connection down $network_name"; do
    nmcli $wish >/dev/null
    within $patience "NetworkManager is disconnected by a user" disconnected 39
    toggler reconnect --fall 1 --backoff 0 --method owner --settle 5s $station
    [[ $status != 0 ]] || fail "the wish is kept"
    disconnected 39 || fail "NetworkManager stays disconnected"
    within $patience "the user connects again" nm_rejoins
    within $patience "NetworkManager says that it is connected" says_so
    pings $patience
done
