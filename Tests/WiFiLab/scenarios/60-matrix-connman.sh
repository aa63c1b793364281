# The matrix of owners: ConnMan with wpa_supplicant. (on day 1 of 4)
. "$LAB/matrix.sh"
row connman
