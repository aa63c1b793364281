# somebody removed the default route
inject() { ip route del default dev $station; }
heal() { default_route; }
