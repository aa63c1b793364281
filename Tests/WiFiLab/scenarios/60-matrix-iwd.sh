# The matrix of owners: iwd with its own DHCP. (on odd days)
. "$LAB/matrix.sh"
row iwd
