# A machine with the packaged service, which may not write to /sys, and with a radio of the driver `hung`. A unit resets
# the radio's device for the service.
# shellcheck shell=bash disable=SC2034,SC2154 # sourced after expect.sh; variables are for the scenarios
. "$LAB/machine.sh"
# Keeps udev from renaming the card: the scenarios use the name that the driver gives.
machine_files_alone() { mkdir -p /etc/systemd/network && ln -sf /dev/null /etc/systemd/network/99-default.link; }
unpacked_managers
machine_files
machine_files_alone
. "$LAB/hung.sh"
is_gone() { [[ ! -e /sys/class/net/$station ]]; }
is_there() { ! is_gone; }
has_changed() { is_there && [[ $(index) != "$before" ]]; } 2>/dev/null
has_all() { [[ $(ip -4 address show dev "$station") == *"$station_address"* && $(ip route show $foreign dev "$station") ]]; } 2>/dev/null
foreign=198.51.100.0/24
configure() {
    printf '%s\n' '[default]' 'interval = 4s' 'fall = 2' 'recheck = 2s' 'delay = 500ms' 'settle = 40s' 'backoff = 1s' \
        'budget = 20' 'grace = 0' 'probe = none' >/etc/wifi-toggler.conf
}
unit=wifi-toggler-reset@$station.service
reset_says() { unit_property "$1" "$unit"; }
# helped: whether the service has said since the mark that a bounce or reset has helped.
helped() { journal_says 'back .* after the raise: healthy'; }
# starts_afresh: starts the service anew, and makes it and systemd forget the resets of earlier steps. All steps
# together make more resets than their limits allow.
starts_afresh() {
    machine systemctl stop wifi-toggler
    sed -i '/^restarted /d' /var/lib/wifi-toggler/*.limiter
    machine systemctl reset-failed "$unit" 2>/dev/null || :
    journal_mark
    performs "the service starts" systemctl start wifi-toggler
    within 30 "it finds the link healthy" journal_says "$station: healthy"
    supplicant_is_slow
    journal_mark
}
no_records() { [[ ! $(machine find /run/wifi-toggler /run/wifi-toggler-reset -name '*.intent' -o -name '*.settling') ]]; }
another_runs() { unit_is active && [[ $(unit_says MainPID) != "$process" ]]; }
# findings: the findings of doctor about the method reset.
findings() {
    toggler_here doctor --json "$station"
    jq -r 'select(.finding == "may-not-reset" or .finding == "forbidden-methods").finding' "$scratch/program.out"
}
# stays_away_longer: lets the unit keep the device away for twelve seconds instead of three. On a busy machine, three
# seconds are over before a process inside the machine is killed.
stays_away_longer() {
    local start
    start=$(machine systemctl cat 'wifi-toggler-reset@.service' | sed -n '/^ExecStart=/,/%I$/p')
    [[ $start == *'--delay 3s'* ]] || fail "the unit keeps the device away for three seconds" "$start"
    mkdir -p /etc/systemd/system/wifi-toggler-reset@.service.d
    printf '%s\n' '[Service]' 'ExecStart=' "${start/--delay 3s/--delay 12s}" \
        >/etc/systemd/system/wifi-toggler-reset@.service.d/lab.conf
    machine systemctl daemon-reload
}

grep -q '^polkitd:' /etc/passwd ||
    { echo 'polkitd:x:198:198::/nonexistent:/usr/sbin/nologin' >>/etc/passwd; echo 'polkitd:x:198:' >>/etc/group; }
machine_boots ''
supplicant
association
supplicant_is_slow
static_address
ip route replace $foreign dev "$station"

# packaged_service PACKAGE: installs the package, and starts the service.
packaged_service() {
    performs "the bus starts" systemctl start dbus
    performs "the package is installed" dpkg --no-triggers --install "$1"
    configure
    journal_mark
    performs "the service starts" systemctl start wifi-toggler
    is_held_to Uid="$(machine id -u wifi-toggler)" CapEff=0000000000001000 CapBnd=0000000000001000 NoNewPrivs=1 Seccomp=2
    within 30 "it finds the link healthy" journal_says "$station: healthy"
}
