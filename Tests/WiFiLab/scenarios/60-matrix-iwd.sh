# The matrix of owners: iwd with its own DHCP. (on day 1 of 4)
. "$LAB/matrix.sh"
row iwd
