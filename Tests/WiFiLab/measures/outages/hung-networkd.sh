# systemd-networkd hangs, and the addresses of the link are gone. (up to 1500 s)
. "$LAB/machine.sh"
. "$LAB/outages-machine.sh"
unit=systemd-networkd.service
fault() { hangs_without_addresses; }
heal() { restart_owner; }
managed_network
machine_starts
networkd_files
machine_supplicant
# Otherwise the socket would start systemd-networkd again as soon as the kernel announces something.
performs "systemd-networkd has no socket" systemctl mask --runtime systemd-networkd.socket
performs "the bus and systemd-networkd start" systemctl start dbus systemd-networkd
pings
outage "systemd-networkd hangs"
