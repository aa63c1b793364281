# ConnMan gives up after wrong keys: the program clears its error, and ConnMan joins. (up to 600 s) (on day 4 of 8)
. "$LAB/matrix.sh"

property() { connmanctl services "$(service)" | sed -n "s/^ *$1 = //p"; }
# given_up: whether ConnMan has given up its network, which is available. Since version 1.44, the state stays `failure`.
given_up() { [[ $(property State) == @(idle|failure) && $(property Error) == invalid-key && $(property AutoConnect) == True ]]; }

# gives_up: makes ConnMan give up while the network is available as before.
gives_up() {
    access_point_dies
    access_point "wpa_psk=$wrong_key"
    within 150 "ConnMan has given up" given_up
    access_point_dies
    access_point
    no_ping
}
stays_away() {
    local second
    for ((second = 0; second < $1; second++)); do
        ! says_so || return 1
        read -rt 1 -u "$never" || :
    done
}

beside connman

tell "a link that ConnMan gave up does not come back by itself, nor by an order to connect, for which a user must be there"
gives_up
connmanctl connect "$(service)" || :
stays_away 40 || fail "ConnMan stays disconnected"
given_up || fail "ConnMan has given up as before" "$(connmanctl services "$(service)")"

tell "doctor reports that ConnMan has given up, and changes nothing"
toggler doctor --json $station
expect_json '.finding == "owner-gave-up" and .severity == "warning" and .reason == "ConnMan has given up connecting it, and no user asked for that"'
given_up || fail "ConnMan has given up as before"

tell "its error is cleared, and the link stays up"
mark
toggler reconnect --fall 1 --backoff 0 --settle 40s --json $station
expect_status 0
expect_json '.verdict == "healthy" and .action == "recovered" and .methods == ["owner"] and .down_ms == 0'
says_so || fail "ConnMan says that it is connected"

tell "a link that a user disconnects is not asked for"
leave
within $time_limit "ConnMan is disconnected" no_ping
toggler doctor --json $station
! grep owner-gave-up "$scratch/program.out" || fail "doctor does not say that ConnMan has given up" "$(<"$scratch/program.out")"
toggler reconnect --fall 1 --backoff 0 --method owner --settle 5s $station
expect_says 'ConnMan has given up no network, and there is nothing else to ask ConnMan'
[[ $(property State) == idle ]] || fail "ConnMan stays disconnected" "$(property State)"
