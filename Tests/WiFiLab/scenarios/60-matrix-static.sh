# The matrix of owners: wpa_supplicant with a static address.
. "$LAB/matrix.sh"
row static
