# DHCP server dead, while the lease is valid
# The server comes back without its leases, and may refuse to renew (NAK). The long time-outs are for that case.
layer=- options=(--interval 2s --recheck 3s --fall 5) cycles=2
inject() { lease_server_dies; }
heal() { lease_server 10.77.0 100; }
