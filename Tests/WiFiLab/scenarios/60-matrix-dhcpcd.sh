# The matrix of owners: wpa_supplicant with dhcpcd. (on even days)
. "$LAB/matrix.sh"
row dhcpcd
