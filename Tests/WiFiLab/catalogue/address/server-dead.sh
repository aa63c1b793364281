# DHCP server dead, while the lease holds
layer=- cycles=4
inject() { lease_server_dies; }
heal() { lease_server 10.77.0 100; }
