# The demonstration of contrib/quickstart.
"$LAB/../../contrib/demonstration" "$WIFI_TOGGLER"
