# systemd-networkd, NetworkManager and ConnMan that hang or are dead are restarted. (up to 900 s) (on day 6 of 8)
. "$LAB/machine.sh"

# loses_address: the link has no address any more, and only its owner can get another one.
loses_address() { ip address flush dev "$station" scope global; }
# comes_back SENTENCE: expects that reconnect restarts the unit, and gives this sentence as evidence.
comes_back() {
    recovers
    expect_restart "$unit" "$1"
    pings
    # The limits of an hour and of a day begin anew with each step.
    rm /var/lib/wifi-toggler/*.limiter
}
finding_is() { [[ $(owner_findings) == "$1"* ]]; }
# tried OWNER UNIT: the owner hangs before the link loses its address, and then is dead before the same fault.
tried() {
    unit=$2.service
    stays_dead "$2"
    pings
    doctor_is_content

    tell "$1 hangs: it is restarted"
    process=$(main_process "$unit")
    machine kill -STOP "$process"
    loses_address
    within 30 "doctor finds that it hangs" finding_is "owner-hung $1 runs, and does not answer"
    comes_back "$1 runs, and does not answer"

    tell "$1 is killed and its unit has failed: it is restarted"
    process=$(main_process "$unit")
    machine kill -KILL "$process"
    loses_address
    within 30 "doctor finds that it is dead" finding_is "owner-dead the service of $1 has failed"
    comes_back "the service of $1 has failed"
}

managed_network
machine_starts
machine_networkd
tried systemd-networkd systemd-networkd
performs "systemd-networkd and the supplicant stop" systemctl stop systemd-networkd "wpa_supplicant-nl80211@$station"

machine_network_manager enabled=false
tried NetworkManager NetworkManager
performs "NetworkManager stops" systemctl stop NetworkManager

connman_files
printf '[General]\nEnableOnlineCheck=false\nNetworkInterfaceBlacklist=eth,hwsim\n' >/etc/connman/main.conf
performs "ConnMan starts" systemctl start connman
tried ConnMan connman
