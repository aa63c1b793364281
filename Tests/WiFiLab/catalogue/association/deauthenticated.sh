# access point deauthenticates the station, which joins again
layer=association? options=(--interval 3s --recheck 3s --fall 5) cycles=2
inject() { in_access_point hostapd_cli -p /run/hostapd -i wlan0 deauthenticate "$(mac_of $station)" >/dev/null; }
