# The matrix of owners: wpa_supplicant with dhclient. (on even days)
. "$LAB/matrix.sh"
row dhclient
