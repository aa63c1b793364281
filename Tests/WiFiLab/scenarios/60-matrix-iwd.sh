# The matrix: iwd with its own DHCP.
. "$LAB/matrix.sh"
row iwd
