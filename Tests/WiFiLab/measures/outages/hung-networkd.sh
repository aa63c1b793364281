# systemd-networkd hangs, and the addresses of the link are gone. (up to 1500 s)
. "$LAB/machine.sh"
. "$LAB/outages-machine.sh"
unit=systemd-networkd.service
fault() { hangs_without_addresses; }
heal() { restart_owner; }
managed_network
machine_starts
machine_networkd
pings
outage "systemd-networkd hangs"
