# The matrix of owners: ifupdown with wpa_supplicant.
. "$LAB/matrix.sh"
row ifupdown
