# The matrix: wpa_supplicant with dhcpcd.
. "$LAB/matrix.sh"
row dhcpcd
