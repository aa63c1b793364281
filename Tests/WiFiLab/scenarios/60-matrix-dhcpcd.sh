# The matrix of owners: wpa_supplicant with dhcpcd. (on day 2 of 4)
. "$LAB/matrix.sh"
row dhcpcd
