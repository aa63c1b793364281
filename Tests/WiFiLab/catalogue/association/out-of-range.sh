# out of range, and back; the station's owner has given up
layer=association action="bounced|held|skipped" bounces=0-3 recovery=40
inject() {
    supplicant_is_slow
    out_of_range
}
heal() { in_range; }
tidy() { wpa_cli -i $station scan_interval 5 >/dev/null; }
