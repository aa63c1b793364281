# a VPN becomes the way to everywhere
variant=yes
layer=-
inject() { tunnel; }
heal() { ip link del vpn0; }
