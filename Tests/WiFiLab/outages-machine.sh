# Outages on a machine with a real systemd, which can restart the link's owner (machine.sh).
# shellcheck shell=bash disable=SC2034,SC2154 # sourced after machine.sh
. "$LAB/outages.sh"

unit=wpa_supplicant-nl80211@$station.service

# The service has systemd as on a real machine, but runs as root, which needs no polkit.
service_starts() {
    rm -rf /var/lib/wifi-toggler
    journal_mark
    performs "the service starts" systemd-run --collect --unit=watching "$WIFI_TOGGLER" "${settings[@]}" "$station"
    within 60 "the service says that it is healthy" journal_says healthy
}
service_ends() {
    tail -n "+$((journal_before + 1))" "$scratch/journal.log" | grep -i toggler | sed 's/^/          | /' || :
    performs "the service ends" systemctl stop watching
}

# hangs_without_addresses: the owner hangs, and the link has no address any more, which only the owner can add again.
hangs_without_addresses() {
    counts
    machine kill -STOP "$(main_process "$unit")"
    ip address flush dev "$station" scope global
    within "$time_limit" "nothing comes back" is_away
}

# Restarts the owner if the contestant has not.
restart_owner() {
    is_back && return
    machine kill -CONT "$(main_process "$unit")" 2>/dev/null || :
    machine systemctl restart "$unit"
}
# wpa_supplicant leaves the default route to others.
heal() {
    restart_owner
    association
    default_route
}
