# The matrix: ConnMan with wpa_supplicant.
. "$LAB/matrix.sh"
row connman
