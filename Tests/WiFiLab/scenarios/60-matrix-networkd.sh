# The matrix of owners: systemd-networkd with wpa_supplicant.
. "$LAB/matrix.sh"
row networkd
