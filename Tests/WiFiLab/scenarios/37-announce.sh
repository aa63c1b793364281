# Announcements by the service and by one-shots correct a neighbour's wrong entry for the station's address. (on day 2 of 4)
# They are sent after a bounce, too, and only with the option.
wrong=02:00:00:00:00:99
access_point
static_station
# A network that no probe uses. The gateway learns of this address only by an announcement.
own=10.88.0.2
ip -n ap address add 10.88.0.1/24 dev $gateway_link
ip address add $own/24 dev $station
link_local() { ip -brief -6 address show dev $station scope link -tentative | grep -o 'fe80::[0-9a-f:]*'; }
has_link_local() { [[ $(link_local) ]]; }
within $time_limit "$station has an IPv6 address" has_link_local
own6=$(link_local)
mislead() {
    ip -n ap neighbour replace "$1" lladdr $wrong nud stale dev $gateway_link
    misled "$1" || fail "the gateway is misled about $1"
}
misled() { ip -n ap neighbour show "$1" dev $gateway_link | finds $wrong; }
corrected() { ip -n ap neighbour show "$1" dev $gateway_link | finds -i "$(mac_of $station)"; }
nothing_left() { [[ -z $(ip -4 neighbour show nud all "$own" dev $station) ]]; }
mislead $own
mislead "$own6"

tell "without the option, and in a dry run, nothing is announced"
toggler reconnect $station
expect_status 0
toggler reconnect --dry-run --announce $station
misled $own && misled "$own6" || fail "the gateway is misled still"

tell "a one-shot of root corrects both families"
toggler reconnect --announce $station
expect_status 0
within 5 "IPv4 is corrected" corrected $own
within 5 "IPv6 is corrected" corrected "$own6"
nothing_left || fail "no entry of the own address stays" "$(ip neighbour show)"

tell "with CAP_NET_ADMIN alone the service announces IPv4, and logs once what IPv6 needs"
beside_service
mkdir -p /var/lib/wifi-toggler
chown -R 64613:64613 /var/lib/wifi-toggler
chmod o+rwx "$scratch"
# Let the service's user read /dev/rfkill, as the service's unit does.
chmod o+r /dev/rfkill
root_program=$WIFI_TOGGLER
rights=-all,+net_admin
{
    echo '#!/bin/sh'
    echo "exec setpriv --reuid=64613 --regid=64613 --clear-groups --inh-caps=$rights --ambient-caps=$rights \\"
    echo "    --bounding-set=$rights '$root_program' \"\$@\""
} >"$scratch/as-service"
chmod +x "$scratch/as-service"
WIFI_TOGGLER=$scratch/as-service
mislead $own
mislead "$own6"
toggler_starts run --interval 5s --announce $station
within 15 "IPv4 is corrected" corrected $own
for _ in 1 2; do
    mislead $own
    within 15 "IPv4 is corrected again" corrected $own
done
misled "$own6" || fail "IPv6 is left alone"
program_said 1 'IPv6 addresses are not announced: that needs CAP_NET_RAW' || fail "a line says what is missing"
! program_said 2 'IPv6 addresses are not announced' || fail "it is said once"
kill -TERM "$program"
toggler_ends 10
expect_status 0
nothing_left || fail "no entry of the own address stays" "$(ip neighbour show)"
WIFI_TOGGLER=$root_program

tell "the addresses are announced after a bounce, too"
mislead $own
toggler toggle --delay 200ms --announce --verbose $station
expect_status 0
expect_says "announced to the neighbours: .*$own"
within 5 "IPv4 is corrected" corrected $own
