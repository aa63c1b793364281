# The matrix of owners: ConnMan with wpa_supplicant.
. "$LAB/matrix.sh"
row connman
