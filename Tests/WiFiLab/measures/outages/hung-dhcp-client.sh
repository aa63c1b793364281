# The DHCP client dhcpcd hangs, and its lease has expired. (up to 2000 s)
. "$LAB/machine.sh"
. "$LAB/outages-machine.sh"
fault() {
    machine kill -STOP "$(machine cat "/run/dhcpcd/$station-4.pid")"
    within 150 "the kernel has removed the address" has_no_address
    counts
}
heal() { restart_owner; }
access_point
lease_server
machine_starts
machine_supplicant
association
machine_dhcpcd
within 60 "it has a lease" answers
outage "the DHCP client hangs"
