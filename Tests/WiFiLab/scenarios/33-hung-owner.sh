# A hung or dead owner is restarted through systemd, and the link comes back. (up to 700 s) (on day 5 of 8)
. "$LAB/machine.sh"

# doctor_says FINDING OWNER: expects that doctor has this finding and no other about owners, within a minute, and
# changes nothing.
doctor_says() {
    local began before found
    began=$(milliseconds) before=$(unit_state "$unit")
    found=$(owner_findings)
    [[ $found == "$1 $2 "* && $found != *$'\n'* ]] || fail "doctor finds $1 of $2" "$found"
    (($(milliseconds) - began < 60000)) || fail "doctor does not wait longer for an owner" "$(($(milliseconds) - began)) ms"
    [[ $(unit_state "$unit") == "$before" ]] || fail "doctor restarts nothing"
    tell "doctor reports the owner after $(($(milliseconds) - began)) ms"
}

managed_network
machine_starts

tell "wpa_supplicant runs with its own unit, and doctor has no finding"
no_groups=0
machine_supplicant
association
static_address
default_route
pings
unit=wpa_supplicant-nl80211@$station.service
doctor_is_content

tell "wpa_supplicant that also runs a P2P group is not restarted"
group=p2p-$station-0
group_is_there() { [[ $(iw dev $group info 2>/dev/null) == *'type P2P-GO'* && $(state_of $group) == up ]]; }
machine wpa_cli -i "$station" p2p_group_add "freq=$frequency" >/dev/null
within $time_limit "the radio carries a P2P group" group_is_there
process=$(main_process "$unit")
command_line="wifi-toggler toggle --method restart-owner" status=0
machine "$WIFI_TOGGLER" toggle --method restart-owner --probe none "$station" \
    >"$scratch/program.out" 2>"$scratch/program.err" </dev/null || status=$?
((status != 0)) || fail "it does not restart the owner" "$(<"$scratch/program.err")"
expect_says "$group serves other machines and needs wpa_supplicant, too"
[[ $(main_process "$unit") == "$process" ]] && group_is_there || fail "the group is kept" "$(iw dev)"
machine wpa_cli -i "$group" p2p_group_remove "$group" >/dev/null
pings

tell "wpa_supplicant hangs when the access point restarts: it is restarted"
process=$(main_process "$unit")
machine kill -STOP "$process"
doctor_says owner-hung wpa_supplicant
loses_access_point
recovers
expect_restart "$unit" 'wpa_supplicant runs, and does not answer'
pings

tell "wpa_supplicant is killed and its unit has failed: it is restarted"
process=$(main_process "$unit")
machine kill -KILL "$process"
loses_access_point
doctor_says owner-dead 'the service of wpa_supplicant'
recovers
expect_restart "$unit" 'the service of wpa_supplicant has failed'
pings

tell "wpa_supplicant is killed under the service, which looks like a user's disconnect: it is restarted"
pings
limiter=(/var/lib/wifi-toggler/*.limiter)
cp "${limiter[0]}" "$scratch/limiter"
journal_mark
performs "the service starts" systemd-run --unit=watching "$WIFI_TOGGLER" run --interval 2 --recheck 1 --fall 2 --grace 0 --backoff 0 --settle 40s "$station"
within 30 "it finds the link healthy" journal_says 'healthy'
process=$(main_process "$unit")
machine kill -KILL "$process"
within 60 "it says that the service has failed" journal_says 'the service of wpa_supplicant has failed'
within 60 "the link is back" journal_says 'back .* after the restart'
[[ $(main_process "$unit") != "$process" && $(unit_state "$unit") == active ]] || fail "$unit was restarted"
pings
performs "the service ends" systemctl stop watching
# The limiter counts the restarts of the other steps, so restore its file.
cp "$scratch/limiter" "${limiter[0]}"

tell "wpa_supplicant that a user stopped is not restarted"
machine systemctl stop "$unit"
within 30 "the station has left" lost
doctor_is_content
recovers
[[ $(unit_state "$unit") == inactive ]] || fail "it is not started"
((status != 0)) || fail "the link is not healthy"
ip address flush dev "$station"

tell "wpa_supplicant hangs below NetworkManager: it is restarted"
machine_network_manager enabled=false
association
pings
unit=NetworkManager.service
doctor_is_content
process=$(main_process wpa_supplicant.service)
machine kill -STOP "$process"
loses_access_point
recovers
expect_restart wpa_supplicant.service 'wpa_supplicant runs, and does not answer'
pings

tell "after three restarts in a day a hung NetworkManager is not restarted"
process=$(main_process NetworkManager.service)
machine kill -STOP "$process"
doctor_says owner-hung NetworkManager
machine systemctl restart wpa_supplicant
within 30 "the station has lost the access point" lost
recovers --settle 5s
expect_status 1
expect_json '.action == "bounced" and .methods == ["bounce"] and .method == null'
[[ $(main_process NetworkManager.service) == "$process" ]] || fail "NetworkManager is not restarted"

tell "once the day is over a hung NetworkManager is restarted"
sed -i '/^restarted /d' /var/lib/wifi-toggler/*.limiter
recovers
expect_restart NetworkManager.service 'NetworkManager runs, and does not answer'
pings
