# The matrix of owners: wpa_supplicant with dhclient.
. "$LAB/matrix.sh"
row dhclient
