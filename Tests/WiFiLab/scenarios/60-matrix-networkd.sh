# The matrix of owners: systemd-networkd with wpa_supplicant. (on odd days)
. "$LAB/matrix.sh"
row networkd
