# The matrix: ifupdown with wpa_supplicant.
. "$LAB/matrix.sh"
row ifupdown
