# The DHCP server is back a minute after the lease has expired. (up to 2000 s)
. "$LAB/matrix.sh"
. "$LAB/outages.sh"
fault() {
    lease_server_dies
    within 150 "the lease has expired" has_no_address
    sleeps 60
    lease_server
    counts
}
heal() { is_back || nm_rejoins || nm_rejoins; }
set_up() { set_up_without_ipv6; }
beside networkmanager
outage "the DHCP server was away"
