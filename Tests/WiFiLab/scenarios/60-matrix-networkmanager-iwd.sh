# The matrix of owners: NetworkManager with iwd. (on odd days)
. "$LAB/matrix.sh"
row networkmanager-iwd
