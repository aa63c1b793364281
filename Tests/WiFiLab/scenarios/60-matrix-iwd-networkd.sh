# The matrix: iwd with systemd-networkd.
. "$LAB/matrix.sh"
row iwd-networkd
