# gateway filters ICMP
prepare() { ip neighbour flush dev $station; }
inject() { in_access_point sh -c 'echo 1 >/proc/sys/net/ipv4/icmp_echo_ignore_all'; }
heal() { in_access_point sh -c 'echo 0 >/proc/sys/net/ipv4/icmp_echo_ignore_all'; }
