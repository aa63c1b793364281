# The matrix: wpa_supplicant with dhclient.
. "$LAB/matrix.sh"
row dhclient
