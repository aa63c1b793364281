# The catalogue of faults: DHCP leases and servers. (up to 300 s) (on day 2 of 4)
. "$LAB/catalogue.sh"
set_up() {
    supplicant
    association
    lease_server 10.77.0 100
    lease_client
}
catalogue 'address/*'
