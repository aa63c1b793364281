# The matrix of owners: iwd with systemd-networkd. (on odd days)
. "$LAB/matrix.sh"
row iwd-networkd
