# The matrix: NetworkManager with iwd.
. "$LAB/matrix.sh"
row networkmanager-iwd
