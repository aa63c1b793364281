# The matrix: systemd-networkd with wpa_supplicant.
. "$LAB/matrix.sh"
row networkd
