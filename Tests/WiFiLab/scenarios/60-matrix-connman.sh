# The matrix of owners: ConnMan with wpa_supplicant. (on even days)
. "$LAB/matrix.sh"
row connman
