# systemd-networkd has failed to configure the link, and does not try again. (up to 1500 s)
. "$LAB/matrix.sh"
. "$LAB/outages.sh"
. "$LAB/refused-address.sh"
fault() {
    networkd_fails
    counts
}
heal() { is_back || networkctl reconfigure $station; }
beside networkd
networkd_wants_ipv6_address
outage "systemd-networkd has failed to configure the link"
