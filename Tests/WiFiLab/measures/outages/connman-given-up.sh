# ConnMan has given up after the access point had another key. (up to 1500 s)
. "$LAB/matrix.sh"
. "$LAB/outages.sh"
fault() { other_key_for_a_time; }
heal() {
    is_back && return
    busctl --quiet call net.connman "/net/connman/service/$(service)" net.connman.Service ClearProperty s Error
}
beside connman
outage "ConnMan has given up"
