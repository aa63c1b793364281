# The demonstration of contrib/quickstart.
WIFI_TOGGLER_TIMEOUT=5s "$LAB/../../contrib/demonstration" "$WIFI_TOGGLER"
