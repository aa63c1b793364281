# a VPN takes the default route
variant=yes
layer=-
inject() { tunnel; }
heal() { ip link del vpn0; }
