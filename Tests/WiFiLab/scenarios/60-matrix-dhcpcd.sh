# The matrix of owners: wpa_supplicant with dhcpcd.
. "$LAB/matrix.sh"
row dhcpcd
