# systemd-networkd fails to configure the link, because the kernel refuses to add an address, and does not try again.
# shellcheck shell=bash disable=SC2154 # sourced after matrix.sh
state_is() { networkctl --no-pager --no-legend list "$station" | finds " $1\$"; }

# gave_up: whether networkd stays in the state failed. Since systemd 257, it first makes five more attempts, all within
# a second or two.
gave_up() {
    local second
    for second in {1..5}; do
        state_is failed || return 1
        sleep 1
    done
}

# networkd_wants_ipv6_address: networkd has to add an IPv6 address, too.
networkd_wants_ipv6_address() {
    sed -i 's/^DHCP=ipv4$/&\nAddress=fd09::2\/64/' /etc/systemd/network/10-lab.network
    networkctl reload
}

# networkd_fails: makes networkd fail, then removes the cause. In the meantime, the DHCP server is stopped, because
# systemd 257 keeps a lease that arrives between two attempts.
networkd_fails() {
    kill -STOP "$(pgrep --exact dnsmasq)"
    sysctl --quiet --write "net.ipv6.conf.$station.disable_ipv6=1"
    mount --bind /proc/sys /proc/sys
    mount --options remount,bind,ro /proc/sys
    networkctl reconfigure "$station"
    within "$time_limit" "networkd has failed, and does not try again" gave_up
    umount /proc/sys
    sysctl --quiet --write "net.ipv6.conf.$station.disable_ipv6=0"
    kill -CONT "$(pgrep --exact dnsmasq)"
}
