# A hung DHCP client is restarted through systemd, and the link has its address again. (up to 500 s) (on day 3 of 4)
. "$LAB/machine.sh"

# The network has no IPv6, so that the link has no address without a lease. dhcpcd tells the kernel how long the
# address is valid (valid_lft, ip-address(8)): the kernel removes it, also while it hangs.
hangs() {
    tell "$1 hangs, and its lease of $lease expires"
    machine kill -STOP "$(client_process "$1")"
    doctor_says owner-hung "the process of $1 is stopped or stuck"
    within 150 "the kernel has removed the address" has_no_address
}
# client_process NAME: the process that has the lease.
client_process() { machine cat "/run/$1/$station-4.pid"; }
has_lease() { ! has_no_address && answers; }
# doctor_says FINDING REASON, or nothing: expects that doctor has this finding and no other about owners.
doctor_says() {
    machine "$WIFI_TOGGLER" doctor --json "$station" >"$scratch/program.out" 2>"$scratch/program.err" </dev/null || :
    local found
    found=$(jq -r 'select(.finding | startswith("owner-")) | "\(.finding) \(.reason)"' "$scratch/program.out")
    [[ $found == "$*" ]] || fail "doctor says: ${*:-nothing}" "$found"
    tell "doctor says: ${found:-nothing about owners}"
}
recovers() {
    command_line="wifi-toggler reconnect $*" status=0
    machine "$WIFI_TOGGLER" reconnect --fall 1 --backoff 0 --settle 40s --json "$@" "$station" \
        >"$scratch/program.out" 2>"$scratch/program.err" </dev/null || status=$?
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

access_point
lease_server
machine_starts
machine_supplicant
association

tell "dhcpcd runs in a unit of this interface"
printf '%s\n' noipv4ll 'nohook resolv.conf, timesyncd, hostname' >/etc/dhcpcd.conf
cat >/etc/systemd/system/dhcpcd@.service <<'END'
[Unit]
Description=DHCP client of %I
[Service]
ExecStart=/usr/sbin/dhcpcd --nobackground --ipv4only %I
END
machine systemctl daemon-reload
unit=dhcpcd@$station.service
performs "dhcpcd starts" systemctl start "$unit"
within 60 "it has a lease" has_lease
doctor_says

hangs dhcpcd
is_restarted dhcpcd "$unit" 'the process of dhcpcd is stopped or stuck'
