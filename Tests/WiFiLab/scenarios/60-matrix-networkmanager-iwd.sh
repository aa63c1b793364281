# The matrix of owners: NetworkManager with iwd.
. "$LAB/matrix.sh"
row networkmanager-iwd
