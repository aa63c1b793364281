# NetworkManager has given up after the access point had another key. (up to 1500 s)
. "$LAB/matrix.sh"
. "$LAB/outages.sh"
fault() { other_key_for_a_time; }
heal() { says_so || nm_rejoins || nm_rejoins; }
beside networkmanager
outage "NetworkManager has given up"
