# wpa_supplicant has disabled its network for a time after the access point had another key. (up to 1500 s)
. "$LAB/matrix.sh"
. "$LAB/outages.sh"
fault() { other_key_for_a_time; }
heal() { is_back || wpa_cli -i $station reconfigure >/dev/null; }
beside networkd
outage "wpa_supplicant has disabled its network"
