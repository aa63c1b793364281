# The matrix of owners: iwd with its own DHCP.
. "$LAB/matrix.sh"
row iwd
