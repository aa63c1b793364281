# disconnected by a user, who connects again later
layer=association action=skipped
inject() { wpa_cli -i $station disconnect >/dev/null; }
# Wait for many more checks than would lead to a bounce after a lost association.
heal() {
    local count
    for ((count = 0; count < 15; count++)); do
        await 15 "it checks, and leaves it alone" '"verdict":"sick","layer":"association".*of this machine left.*"action":"skipped"'
    done
    not_associated || fail "the link stays as the user left it"
    wpa_cli -i $station reconnect >/dev/null
}
