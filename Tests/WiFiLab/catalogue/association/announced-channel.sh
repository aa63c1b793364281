# access point announces another channel, and moves
variant=yes
layer=association? options=(--interval 3s --recheck 3s --fall 5) cycles=2
move() { in_access_point hostapd_cli -p /run/hostapd -i wlan0 chan_switch 5 "$1" >/dev/null; }
inject() {
    move 2437
    within 15 "$station followed it" is_on 2437
}
heal() {
    move 2412
    within 15 "$station followed it back" is_on 2412
}
