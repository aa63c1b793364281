# The matrix of owners: NetworkManager with iwd. (on day 3 of 4)
. "$LAB/matrix.sh"
row networkmanager-iwd
