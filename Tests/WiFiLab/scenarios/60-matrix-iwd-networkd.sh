# The matrix of owners: iwd with systemd-networkd. (on day 2 of 4)
. "$LAB/matrix.sh"
row iwd-networkd
