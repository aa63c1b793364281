# one-way loss: the station receives nothing
layer=gateway action=bounced bounces=1-2
inject() { drops egress ip ipv6 arp; }
heal() { drops_nothing; }
