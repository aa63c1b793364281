# a user removed the default route
variant=yes
inject() { ip route del default dev $station; }
heal() { default_route; }
