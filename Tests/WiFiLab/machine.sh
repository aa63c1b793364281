# A whole machine inside the guest: a real systemd is process 1, with a journal and a device manager, and Debian
# packages are installed on it. Network and radios are the scenario's; its files are an overlay on the guest's, and go
# away with the scenario.
# shellcheck shell=bash disable=SC2034,SC2154 # sourced after expect.sh
. "$LAB/managers.sh"

# machine COMMAND...: runs it there as root.
machine() { nsenter --target "$machine" --mount --pid --cgroup --ipc -- env --ignore-environment "${machine_words[@]}" "$@"; }
machine_words=(PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C DEBIAN_FRONTEND=noninteractive SYSTEMD_PAGER= SYSTEMD_COLORS=0)

# machine_starts: from power on until services can be started.
machine_starts() {
    # On a busy machine this takes longer than anything that a manager does.
    local patience=150
    unpacked_managers
    machine_files
    unshare --mount --pid --cgroup --ipc --fork --kill-child --mount-proc bash -c '
        set -e
        # A /run of its own, except for what the scenario keeps there.
        mount -t tmpfs -o mode=755 none /mnt
        mkdir /mnt/scenario
        mount --bind /run/scenario /mnt/scenario
        mount --no-mtab --move /mnt /run
        mountpoint --quiet /sys/fs/cgroup || mount -t cgroup2 none /sys/fs/cgroup
        export container=lab
        exec /lib/systemd/systemd --system --unit=newcomer.target --show-status=no
    ' >"$scratch/systemd.log" 2>&1 &
    local shell=$!
    within $patience "process 1 is there" has_child "$shell"
    machine=$(child_of "$shell")
    within $patience "the service manager listens" machine test -S /run/systemd/private
    within $patience "the machine is up" machine systemctl --quiet is-active newcomer.target
    machine journalctl --quiet --follow --no-tail --output=short-monotonic _TRANSPORT=journal + _TRANSPORT=stdout + _TRANSPORT=syslog >"$scratch/journal.log" 2>&1 &
    machine udevadm trigger --action=add --subsystem-match=net --subsystem-match=misc
    machine udevadm settle --timeout=$patience
}
child_of() { tr -d ' ' <"/proc/$1/task/$1/children"; }
has_child() { [[ $(child_of "$1") ]]; }

# Of the units that Debian starts by default only those needed here; the units are Debian's own.
machine_files() {
    local units=/usr/lib/systemd/system
    rm -rf $units/*.target.wants /etc/systemd/system/*.wants $units-generators
    cat >$units/newcomer.target <<'END'
[Unit]
Description=A machine that somebody uses
Requires=basic.target
Wants=systemd-journald.service systemd-udevd.service
After=basic.target systemd-journald.service systemd-udevd.service
END
    # The account wifi-toggler does not exist yet.
    sed -i '/^wifi-toggler:/d; s/,wifi-toggler$//; s/:wifi-toggler$/:/' /etc/{passwd,shadow,group,gshadow}
    rm -rf /usr/local/sbin/wifi-toggler* /etc/wifi-toggler* /var/lib/wifi-toggler
    # hostnamed is not needed here, and NetworkManager would wait for it.
    rm -f $units/dbus-org.freedesktop.hostname1.service
    # The bus runs as a user of its own, which an unpacked package has not created.
    grep -q '^messagebus:' /etc/passwd ||
        { echo 'messagebus:x:199:199::/nonexistent:/usr/sbin/nologin' >>/etc/passwd; echo 'messagebus:x:199:' >>/etc/group; }
    # dpkg knows which packages are installed here, but not their files: an emulated processor needs long to read the
    # names.
    mkdir -p "$scratch"/dpkg/{info,updates,triggers}
    cp /var/lib/dpkg/status "$scratch/dpkg/"
    mount --bind "$scratch/dpkg" /var/lib/dpkg
}

# machine_supplicant: Debian's unit for it, with the socket as Debian has it, open to the group netdev.
machine_supplicant() {
    cat >"/etc/wpa_supplicant/wpa_supplicant-nl80211-$station.conf" <<END
ctrl_interface=DIR=/run/wpa_supplicant GROUP=netdev
p2p_disabled=1
network={
    ssid="$network_name"
    psk=$pre_shared_key
    scan_freq=$frequency
}
END
    performs "the supplicant starts" systemctl start "wpa_supplicant-nl80211@$station"
}

# machine_network_manager LINE...: Debian's units for NetworkManager, its dispatcher, the supplicant and the bus; the
# lines are put under [connectivity].
machine_network_manager() {
    network_manager_files wpa_supplicant "$@"
    # With the names by which the bus starts them, and its dispatcher.
    machine systemctl --quiet enable wpa_supplicant NetworkManager 2>"$scratch/machine.log"
    performs "the supplicant starts" systemctl start wpa_supplicant
    performs "NetworkManager starts" systemctl start NetworkManager
}
# connectivity WORD: NetworkManager reports this connectivity.
connectivity() { [[ $(machine nmcli networking connectivity) == "$1" ]]; }

# performs SENTENCE COMMAND...: runs it on the machine, and shows its output only if it fails.
performs() {
    local sentence=$1
    shift
    machine "$@" >"$scratch/machine.log" 2>&1 || fail "$sentence" "$(<"$scratch/machine.log")"
    tell "$sentence"
}

# toggler_here ARGUMENT...: runs the installed program as a user types it there; leaves what `toggler` leaves.
toggler_here() {
    command_line="wifi-toggler $*" status=0
    machine wifi-toggler "$@" >"$scratch/program.out" 2>"$scratch/program.err" </dev/null || status=$?
}

unit_says() { machine systemctl show --property "$1" --value wifi-toggler; }
unit_is() { [[ $(unit_says ActiveState) == "$1" ]]; }
# is_held_to FIELD=VALUE...: the main process of the service has these values in /proc/PID/status (proc(5)).
is_held_to() {
    local word
    machine cat "/proc/$(unit_says MainPID)/status" >"$scratch/process"
    for word; do
        grep -q "^${word%%=*}:[[:space:]]*${word#*=}\([[:space:]]\|$\)" "$scratch/process" ||
            fail "of its process, $word" "$(grep "^${word%%=*}:" "$scratch/process")"
    done
    tell "it is held to $*"
}
# journal_mark: `journal_says` searches from here on: for a pattern in what the service, or the service manager, logs.
journal_mark() { journal_before=$(wc -l <"$scratch/journal.log"); }
journal_says() { tail -n "+$((journal_before + 1))" "$scratch/journal.log" | finds -- "$1"; }
# journal_has FIELD=VALUE...: the service has logged a message with all of these fields.
journal_has() {
    machine journalctl --quiet --output=json SYSLOG_IDENTIFIER=wifi-toggler _SYSTEMD_UNIT=wifi-toggler.service \
        "WIFI_TOGGLER_INTERFACE=$station" "$@" | finds '"MESSAGE":'
}
