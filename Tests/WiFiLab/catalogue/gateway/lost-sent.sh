# one-way loss: nothing that the station sends arrives
layer=gateway action=bounced bounces=1-2
inject() { drops ingress ip ipv6 arp; }
heal() { drops_nothing; }
