# out of range, and back; the station's owner has given up
# An owner that has given up scans again only after a bounce.
layer=association action=bounced bounces=1-3 recovery=40
inject() {
    supplicant_is_slow
    out_of_range
}
heal() { in_range; }
tidy() { wpa_cli -i $station scan_interval 5 >/dev/null; }
