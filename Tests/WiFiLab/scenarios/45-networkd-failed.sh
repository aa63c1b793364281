# networkd fails to configure the link and does not try again; it is asked, and the link comes back. (up to 300 s)
. "$LAB/matrix.sh"

state_is() { networkctl --no-pager --no-legend list $station | finds " $1\$"; }

# fails: until networkd has failed, because the kernel refuses it an address, although the cause has ended since.
fails() {
    sysctl --quiet --write net.ipv6.conf.$station.disable_ipv6=1
    mount --bind /proc/sys /proc/sys
    mount --options remount,bind,ro /proc/sys
    networkctl reconfigure $station
    within $patience "networkd has failed" state_is failed
    umount /proc/sys
    sysctl --quiet --write net.ipv6.conf.$station.disable_ipv6=0
    no_ping
}

beside networkd
sed -i 's/^DHCP=ipv4$/&\nAddress=fd09::2\/64/' /etc/systemd/network/10-air.network
networkctl reload

tell "failed, it comes back neither by itself nor by a bounce"
fails
toggler reconnect --fall 1 --method bounce --settle 15s $station
expect_status 1
state_is failed || fail "networkd does not try again" "$(networkctl --no-pager list)"

tell "doctor says so, and changes nothing"
toggler doctor --json $station
expect_json '.finding == "owner-gave-up" and .severity == "warning" and .reason == "systemd-networkd has failed to configure it, and does not try again"'
state_is failed || fail "networkd does not try again" "$(networkctl --no-pager list)"

tell "it is asked, and the link stays up"
toggler reconnect --fall 1 --backoff 0 --settle 20s --json $station
expect_status 0
expect_json '.verdict == "healthy" and .action == "recovered" and .methods == ["owner"] and .down_ms == 0'
says_so || fail "networkd says that it is connected"
pings

tell "a user who sets the link down is obeyed"
leave
toggler reconnect --fall 1 --backoff 0 --settle 5s --json $station
[[ $status != 0 ]] || fail "the link stays down"
state_is configured || state_is configuring || fail "networkd was not asked" "$(networkctl --no-pager list)"
rejoin
pings $patience

tell "a link that is well is not found failed"
toggler doctor --json $station
! says owner-gave-up || fail "doctor finds its owner at work" "$(<"$scratch/program.out")"
