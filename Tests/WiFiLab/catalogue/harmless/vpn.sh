# a VPN becomes the way to everywhere
layer=-
inject() { tunnel; }
heal() { ip link del vpn0; }
