# networkd fails to configure the link and does not try again: told to reconfigure it, networkd brings the link back. (up to 300 s) (on day 3 of 8)
. "$LAB/matrix.sh"

state_is() { networkctl --no-pager --no-legend list $station | finds " $1\$"; }
has_not_failed() { state_is configured || state_is configuring; }

# stays_failed: whether networkd stays in the state failed. Since systemd 257, it first makes five more attempts, all
# within a second or two.
stays_failed() {
    local second
    for second in {1..5}; do
        state_is failed || return 1
        sleep 1
    done
}

# fails: makes networkd fail, because the kernel refuses to add its address; then removes the cause. In the meantime,
# the DHCP server is stopped, because systemd 257 keeps a lease that arrives between two attempts.
fails() {
    kill -STOP "$(pgrep --exact dnsmasq)"
    sysctl --quiet --write net.ipv6.conf.$station.disable_ipv6=1
    mount --bind /proc/sys /proc/sys
    mount --options remount,bind,ro /proc/sys
    networkctl reconfigure $station
    within $time_limit "networkd has failed, and does not try again" stays_failed
    umount /proc/sys
    sysctl --quiet --write net.ipv6.conf.$station.disable_ipv6=0
    kill -CONT "$(pgrep --exact dnsmasq)"
    no_ping
}

beside networkd
sed -i 's/^DHCP=ipv4$/&\nAddress=fd09::2\/64/' /etc/systemd/network/10-lab.network
networkctl reload
has_new_address() { ip -6 address show dev "$station" | finds 'fd09::2/64' && state_is configured; }
# Otherwise the lease of this configuration may arrive after the failure, and end it.
within $time_limit "networkd has applied its file" has_new_address

tell "after the failure, the link comes back neither by itself nor by a bounce"
fails
toggler reconnect --fall 1 --method bounce --settle 15s $station
expect_status 1
state_is failed || fail "networkd does not try again" "$(networkctl --no-pager list)"

tell "doctor reports the failure, and changes nothing"
toggler doctor --json $station
expect_json '.finding == "owner-gave-up" and .severity == "warning" and .reason == "systemd-networkd has failed to configure it, and does not try again"'
state_is failed || fail "networkd does not try again" "$(networkctl --no-pager list)"

tell "networkd is told to reconfigure the link, which stays up meanwhile"
toggler reconnect --fall 1 --backoff 0 --settle 20s --json $station
expect_status 0
expect_json '.verdict == "healthy" and .action == "recovered" and .methods == ["owner"] and .down_ms == 0'
within $time_limit "networkd no longer reports a failure" has_not_failed
pings

tell "a user who sets the link down is obeyed"
leave
toggler reconnect --fall 1 --backoff 0 --settle 5s --json $station
[[ $status != 0 ]] || fail "the link stays down"
has_not_failed || fail "networkd was not asked" "$(networkctl --no-pager list)"
rejoin
pings $time_limit

tell "doctor reports no failure of a healthy link"
toggler doctor --json $station
! says owner-gave-up || fail "doctor finds its owner at work" "$(<"$scratch/program.out")"
