# The matrix of owners: ifupdown with wpa_supplicant. (on even days)
. "$LAB/matrix.sh"
row ifupdown
