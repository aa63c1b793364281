# The matrix of owners: systemd-networkd with wpa_supplicant. (on day 1 of 4)
. "$LAB/matrix.sh"
row networkd
