# A hung or dead DHCP client is restarted through systemd, and the link has its address again. (up to 900 s) (on day 3 of 8)
. "$LAB/machine.sh"

# The network has no IPv6, so that the link has no address without a lease. dhcpcd and dhclient tell the kernel how long
# the address is valid (valid_lft, ip-address(8)): the kernel removes it, also while they hang.
hangs() {
    tell "$1 hangs, and its lease of $lease expires"
    machine kill -STOP "$(client_process "$1")"
    doctor_says owner-hung "the process of $1 is stopped or stuck"
    within 150 "the kernel has removed the address" has_no_address
}
# dies NAME COMMAND...: kills the client, and removes the address, because waiting for the end of the lease takes long.
dies() {
    tell "$1 dies"
    machine "${@:2}"
    ip address flush dev "$station" scope global
    has_no_address || fail "the address is removed"
    doctor_says owner-dead "$1 has ended unexpectedly"
}
# client_process NAME: the process that has the lease.
client_process() {
    case $1 in
    dhcpcd) machine cat "/run/dhcpcd/$station-4.pid" ;;
    dhclient) machine cat "/run/dhclient.$station.pid" ;;
    esac
}
has_lease() { ! has_no_address && answers; }
# doctor_says FINDING REASON, or nothing: expects that doctor has this finding and no other about owners.
doctor_says() {
    local found
    found=$(owner_findings)
    [[ $found == "$*" ]] || fail "doctor says: ${*:-nothing}" "$found"
    tell "doctor says: ${found:-nothing about owners}"
}
# is_restarted NAME UNIT REASON: recovers the link, and expects that the client's unit was restarted for this reason.
is_restarted() {
    local before after
    before=$(client_process "$1")
    recovers
    expect_status 0
    expect_json '.verdict == "healthy" and .action == "recovered" and .methods == ["restart-owner"]'
    finds "$3" "$scratch/program.err" || fail "it says that $3" "$(<"$scratch/program.err")"
    after=$(client_process "$1")
    [[ $after != "$before" ]] || fail "$1 has another process" "$after"
    finds "/$2\$" "/proc/$machine/root/proc/$after/cgroup" || fail "it runs in $2" "$(machine cat "/proc/$after/cgroup")"
    has_lease || fail "the link has its lease" "$(ip address show dev "$station")"
    doctor_says
    # At most three restarts a day are made.
    sed -i '/^restarted /d' /var/lib/wifi-toggler/*.limiter
}
# is_started_again: whether the client has another process than `process`, and a lease.
is_started_again() { [[ $(client_process dhclient) != "$process" ]] && has_lease; }

access_point
lease_server
unpacked_managers
machine_files
grep -q '^polkitd:' /etc/passwd ||
    { echo 'polkitd:x:198:198::/nonexistent:/usr/sbin/nologin' >>/etc/passwd; echo 'polkitd:x:198:' >>/etc/group; }
machine_boots ''
machine_supplicant
association

tell "dhcpcd runs in a unit of this interface"
machine_dhcpcd
within 60 "it has a lease" has_lease
doctor_says

hangs dhcpcd
is_restarted dhcpcd "$unit" 'the process of dhcpcd is stopped or stuck'
# Kill all processes of dhcpcd. If only the process with the lease is killed, systemd waits for the others before the
# unit fails.
dies dhcpcd systemctl kill --signal=SIGKILL "$unit"
[[ $(unit_state "$unit") == failed ]] || fail "its unit has failed" "$(unit_state "$unit")"
is_restarted dhcpcd "$unit" 'dhcpcd has ended unexpectedly'

tell "dhcpcd that a user has stopped is not started"
performs "a user stops it" systemctl stop "$unit"
within 30 "it has removed its address" has_no_address
doctor_says
recovers --settle 5s
((status != 0)) || fail "the link is not healthy"
[[ $(unit_state "$unit") == inactive ]] || fail "it is not started" "$(unit_state "$unit")"

machine test -x /usr/sbin/dhclient || skip "only dhcpcd was tested: this release of Debian has no dhclient"

tell "dhclient runs in the unit in which ifupdown configures this interface"
machine mkdir -p /run/network /var/lib/dhcp
printf '%s\n' "allow-hotplug $station" "iface $station inet dhcp" >/etc/network/interfaces
unit=ifup@$station.service
performs "ifupdown configures it" systemctl start "$unit"
within 60 "it has a lease" has_lease
doctor_says

hangs dhclient
is_restarted dhclient "$unit" 'the process of dhclient is stopped or stuck'
dies dhclient kill -KILL "$(client_process dhclient)"
[[ $(unit_state "$unit") == active ]] || fail "its unit has not failed" "$(unit_state "$unit")"
is_restarted dhclient "$unit" 'dhclient has ended unexpectedly'

tell "the service of the package has polkit's permission to do the same"
performs "the bus starts" systemctl start dbus
performs "the package is installed" dpkg --no-triggers --install "$WIFI_TOGGLER_PACKAGE"
printf '%s\n' '[default]' 'interval = 4s' 'fall = 2' 'recheck = 2s' 'settle = 40s' 'backoff = 1s' 'grace = 0' >/etc/wifi-toggler.conf
rm -rf /var/lib/wifi-toggler/*
# watches SIGNAL REASON: sends the signal to the client, and expects that the service restarts the client.
watches() {
    journal_mark
    performs "the service starts" systemctl restart wifi-toggler
    within 30 "it finds the link healthy" journal_says "$station: healthy"
    process=$(client_process dhclient)
    machine kill -"$1" "$process"
    ip address flush dev "$station" scope global
    within 60 "it says that $2" journal_says "$2"
    within 90 "dhclient is started again" is_started_again
    within 60 "the restart has helped" journal_says 'back .* after the restart'
}
watches KILL 'dhclient has ended unexpectedly'
# With this drop-in, the service can see the processes of other users.
install -D -m 644 "$LAB/../../contrib/systemd/processes.conf" /etc/systemd/system/wifi-toggler.service.d/processes.conf
machine systemctl daemon-reload
watches STOP 'the process of dhclient is stopped or stuck'
