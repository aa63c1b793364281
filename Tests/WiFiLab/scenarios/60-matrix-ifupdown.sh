# The matrix of owners: ifupdown with wpa_supplicant. (on day 3 of 4)
. "$LAB/matrix.sh"
row ifupdown
