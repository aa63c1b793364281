# The matrix: NetworkManager with wpa_supplicant.
. "$LAB/matrix.sh"
row networkmanager
