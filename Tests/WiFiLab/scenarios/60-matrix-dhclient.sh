# The matrix of owners: wpa_supplicant with dhclient. (on day 0 of 4)
. "$LAB/matrix.sh"
row dhclient
