# Hundreds of checks of a healthy link under load, scans, rekeying, loss and roaming find no fault. (up to 300 s) (on day 2 of 4)
# WIFI_TOGGLER_CYCLES is the number of cycles.
. "$LAB/catalogue.sh"
wanted=${WIFI_TOGGLER_CYCLES:-200} told=500

# quiet_cycles COUNT: expects this many checks, none of which leads to an action.
quiet_cycles() {
    local count
    for ((count = 0; count < $1; count++)); do
        next_event 30000000 || fail "the program checks every 100 ms" "nothing in 30 s"
        [[ $event == *'"action":"none"'* ]] || fail "no alarm in $1 cycles" "$event"
        [[ $event != *'answered the neighbour probe'* ]] || asked=$((asked + 1))
        ((count % told || !count)) || tell "$count of $1 cycles; single sick checks: $sick"
    done
}
# Roams between the two access points, as soon as a scan finds the other one.
roam_about() {
    local goal
    while :; do
        for goal in "$other" "$first"; do
            wpa_cli -i $station roam "$goal" >/dev/null
            sleep 3
        done
    done
}

new_network
access_point_dies
access_point bridge=$gateway_link wpa_group_rekey=3
association
pings
mark
impair loss 20%
while :; do :; done &
while :; do iw dev $station scan freq 2412 2437 2462 >/dev/null 2>&1 || :; sleep 1; done &

tell "the first half of the cycles: load, scans, new group keys, every fifth packet lost"
asked=0
listen_to run --json --interval 100ms --grace 0 $station
quiet_cycles $((wanted / 2))
doubts=$sick
listen_no_more

tell "the second half of the cycles: the station roams"
second_access_point
first=$(in_access_point cat /sys/class/net/wlan0/address)
other=$(in_access_point cat /sys/class/net/$second_access_point/address)
roam_about &
roamer=$!
listen_to run --json --interval 100ms --recheck 100ms --fall 50 --grace 0 $station
quiet_cycles $((wanted / 2))
listen_no_more
kill $roamer

(($(changes | wc -l) == 0)) || fail "no bounce" "$(changes)"
roams=$(grep -c 'CTRL-EVENT-CONNECTED' "$scratch/supplicant.log")
keys=$(grep -c 'Group rekeying completed' "$scratch/supplicant.log" || :)
((roams > 2)) || fail "it has roamed" "$roams connections"
((keys > 2)) || fail "it has had new keys" "$keys"
association
impair_nothing
pings
echo "healthy cycles over Wi-Fi: $wanted, no alarm and no bounce; $asked asked the gateway; single doubts: $doubts in" \
    "the first half, $sick in the second; joined anew $((roams - 1)) times, $keys new group keys" | tee "$REPORT"
