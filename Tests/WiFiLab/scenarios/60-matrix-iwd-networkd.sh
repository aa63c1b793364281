# The matrix of owners: iwd with systemd-networkd.
. "$LAB/matrix.sh"
row iwd-networkd
