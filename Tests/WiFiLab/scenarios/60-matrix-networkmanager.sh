# The matrix of owners: NetworkManager with wpa_supplicant.
. "$LAB/matrix.sh"
row networkmanager
