# gateway answers ARP and drops all IP
inject() { drops ingress ip; }
heal() { drops_nothing; }
