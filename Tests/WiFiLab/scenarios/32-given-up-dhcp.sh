# NetworkManager gives up while the DHCP server is dead: told to reconnect, it brings the link back. (up to 500 s) (on day 1 of 8)
. "$LAB/matrix.sh"

# given_up: whether NetworkManager stays disconnected, although no user disconnected it (its reason 39). Between two
# attempts to connect, it reports the same state for two or three seconds.
given_up() {
    local second
    for second in {1..10}; do
        [[ $(nmcli -g GENERAL.STATE device show $station) == '30 '* ]] || return 1
        [[ $(nmcli -g GENERAL.REASON device show $station) != '39 '* ]] || return 1
        sleep 1
    done
}
finds_its_network() { nmcli -g SSID device wifi list ifname $station | finds "^$network_name\$"; }

# gives_up: the access point restarts while the DHCP server is stopped, until NetworkManager has given up; then the
# server works again.
gives_up() {
    kill -STOP "$(pgrep --exact dnsmasq)"
    access_point_dies
    access_point
    within 150 "NetworkManager has given up" given_up
    kill -CONT "$(pgrep --exact dnsmasq)"
    within $time_limit "the network is in the air" finds_its_network
    no_ping
}

beside networkmanager
# By default, NetworkManager tries four times for 45 seconds each, and then waits for five minutes.
nmcli connection modify $network_name connection.autoconnect-retries 1 ipv4.dhcp-timeout 15 ipv4.may-fail no
nmcli connection up $network_name >/dev/null
within $time_limit "NetworkManager says that it is connected" says_so

tell "doctor reports that NetworkManager has given up, and changes nothing"
gives_up
toggler doctor --json $station
expect_json '.finding == "owner-gave-up" and .severity == "warning" and .reason == "NetworkManager has given up connecting it, and no user asked for that"'
given_up || fail "NetworkManager stays disconnected"

tell "it does not come back by a bounce"
toggler reconnect --fall 1 --method bounce --settle 15s $station
expect_status 1

tell "the owner is told to reconnect, and the link stays up"
within $time_limit "the network is in the air" finds_its_network
mark
toggler reconnect --fall 1 --backoff 0 --settle 20s --json $station
expect_status 0
expect_json '.verdict == "healthy" and .action == "recovered" and .methods == ["owner"] and .down_ms == 0'
says_so || fail "NetworkManager says that it is connected"
pings
