# DHCP server dead, and the lease expired
layer=address action=bounced bounces=1-3 notice=45 recovery=60
inject() { lease_server_dies; }
heal() { lease_server 10.77.0 100; }
