# A whole machine inside the guest: systemd is process 1, with a journal and udev, and Debian packages are installed.
# The network and the radios are those of the scenario. The files are an overlay on the guest's files, which ends with
# the scenario.
# shellcheck shell=bash disable=SC2034,SC2154 # sourced after expect.sh
. "$LAB/managers.sh"

# machine COMMAND...: runs a command on that machine as root.
machine() { nsenter --target "$machine" --mount --pid --cgroup --ipc -- env --ignore-environment "${machine_words[@]}" "$@"; }
machine_words=(PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C DEBIAN_FRONTEND=noninteractive SYSTEMD_PAGER= SYSTEMD_COLORS=0)

# machine_starts: boots the machine and waits until services can be started.
machine_starts() {
    unpacked_managers
    machine_files
    machine_boots ''
}

# machine_boots FILE: boots the machine with the files that it has. FILE contains the ID of this boot (boot_id,
# random(4)), because the machine shares the kernel of the guest; if FILE is empty, the machine sees the guest's own ID.
# Leaves in `journal_reader` the process that follows the journal.
machine_boots() {
    # On a busy machine, booting takes longer than anything that a network manager does.
    local time_limit=150
    unshare --mount --pid --cgroup --ipc --fork --kill-child --mount-proc bash -c '
        set -e
        # The machine has a /run of its own, except for the directory of the scenario.
        mount -t tmpfs -o mode=755 none /mnt
        mkdir /mnt/scenario
        mount --bind /run/scenario /mnt/scenario
        mount --no-mtab --move /mnt /run
        [[ ! $1 ]] || mount --bind "$1" /proc/sys/kernel/random/boot_id
        mountpoint --quiet /sys/fs/cgroup || mount -t cgroup2 none /sys/fs/cgroup
        export container=lab
        exec /lib/systemd/systemd --system --unit=newcomer.target --show-status=no
    ' machine "$1" >"$scratch/systemd.log" 2>&1 &
    local shell=$!
    within $time_limit "process 1 is there" has_child "$shell"
    machine=$(child_of "$shell")
    within $time_limit "the service manager listens" machine test -S /run/systemd/private
    within $time_limit "the machine is up" machine systemctl --quiet is-active newcomer.target
    nsenter --target "$machine" --mount --pid --cgroup --ipc -- env --ignore-environment "${machine_words[@]}" \
        journalctl --quiet --follow --no-tail --output=short-monotonic _TRANSPORT=journal + _TRANSPORT=stdout + _TRANSPORT=syslog >"$scratch/journal.log" 2>&1 &
    journal_reader=$!
    machine udevadm trigger --action=add --subsystem-match=net --subsystem-match=misc
    machine udevadm settle --timeout=$time_limit
}
child_of() { tr -d ' ' <"/proc/$1/task/$1/children"; }
has_child() { [[ $(child_of "$1") ]]; }

# Prepares the machine's files. Enables only those units that are needed here; they are Debian's own. If the scenario has
# set `state_survives`, the program's state directory is on the disk of the machine that runs the lab. The files of a
# guest are in its memory, and the program refuses a reboot that could lose the record of it.
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
    # Remove the account wifi-toggler, so that the package creates it.
    sed -i '/^wifi-toggler:/d; s/,wifi-toggler$//; s/:wifi-toggler$/:/' /etc/{passwd,shadow,group,gshadow}
    rm -rf /usr/local/sbin/wifi-toggler* /etc/wifi-toggler* /var/lib/wifi-toggler
    if [[ ${state_survives-} ]]; then
        mkdir -p "$TRACE.state" /var/lib/wifi-toggler
        mount --bind "$TRACE.state" /var/lib/wifi-toggler
    fi
    # The unit of iwd does not start without this file.
    [[ -e /etc/resolv.conf ]] || : >/etc/resolv.conf
    # NetworkManager would wait for hostnamed, which is not needed here.
    rm -f $units/dbus-org.freedesktop.hostname1.service
    # The bus runs as a user of its own. A package that is only unpacked has not created this user.
    grep -q '^messagebus:' /etc/passwd ||
        { echo 'messagebus:x:199:199::/nonexistent:/usr/sbin/nologin' >>/etc/passwd; echo 'messagebus:x:199:' >>/etc/group; }
    # dpkg knows which packages are installed, but not their files: an emulated processor needs long to read all names.
    mkdir -p "$scratch"/dpkg/{info,updates,triggers}
    cp /var/lib/dpkg/status "$scratch/dpkg/"
    mount --bind "$scratch/dpkg" /var/lib/dpkg
}

# machine_supplicant: starts Debian's unit of wpa_supplicant. Its control socket is open to the group netdev, as in
# Debian.
machine_supplicant() {
    cat >"/etc/wpa_supplicant/wpa_supplicant-nl80211-$station.conf" <<END
ctrl_interface=DIR=/run/wpa_supplicant GROUP=netdev
p2p_disabled=${no_groups:-1}
network={
    ssid="$network_name"
    psk=$pre_shared_key
    scan_freq=$frequency
}
END
    performs "the supplicant starts" systemctl start "wpa_supplicant-nl80211@$station"
}

# machine_networkd: starts Debian's units of systemd-networkd, the supplicant and the bus.
machine_networkd() {
    networkd_files
    machine_supplicant
    # Otherwise a socket would start systemd-networkd again as soon as the kernel announces something. Debian 12 has one
    # such socket, newer releases have several.
    local sockets
    sockets=$(cd /usr/lib/systemd/system && echo systemd-networkd*.socket)
    # shellcheck disable=SC2086 # these are several words
    performs "systemd-networkd has no sockets" systemctl mask --runtime $sockets
    performs "the bus and systemd-networkd start" systemctl start dbus systemd-networkd
}

# machine_dhcpcd: starts dhcpcd in a unit of this interface. Sets `unit`.
machine_dhcpcd() {
    printf '%s\n' noipv4ll 'nohook resolv.conf, timesyncd, hostname' >/etc/dhcpcd.conf
    cat >/etc/systemd/system/dhcpcd@.service <<'END'
[Unit]
Description=DHCP client of %I
[Service]
ExecStart=/usr/sbin/dhcpcd --nobackground --ipv4only %I
END
    machine systemctl daemon-reload
    unit=dhcpcd@$station.service
    performs "dhcpcd starts" systemctl start "$unit"
}

# machine_with_station: starts the machine, with a station that Debian's unit of wpa_supplicant connects, and that has a
# static address. The access point must have been started.
machine_with_station() {
    machine_starts
    machine_supplicant
    association
    static_address
    default_route
    pings
}

# machine_network_manager LINE...: starts Debian's units of NetworkManager, its dispatcher, the supplicant and the bus.
# The lines are added to the section [connectivity].
machine_network_manager() {
    network_manager_files wpa_supplicant "$@"
    # Enabling the units also enables the names by which the bus starts them, and the dispatcher.
    machine systemctl --quiet enable wpa_supplicant NetworkManager 2>"$scratch/machine.log"
    performs "the supplicant starts" systemctl start wpa_supplicant
    performs "NetworkManager starts" systemctl start NetworkManager
}
# connectivity WORD: whether NetworkManager reports this connectivity.
connectivity() { [[ $(machine nmcli networking connectivity) == "$1" ]]; }

# replace_interface: puts another interface in the place of the station's.
replace_interface() {
    local radio
    radio=$(<"/sys/class/net/$station/phy80211/name")
    iw dev "$station" del
    iw phy "$radio" interface add "$station" type station
    ip link set "$station" up
}

# iwd_lists_device, iwd_lists_none: whether iwd answers with a list that has a device, or with one that has none.
iwd_lists_device() {
    machine busctl call net.connman.iwd / org.freedesktop.DBus.ObjectManager GetManagedObjects >"$scratch/objects" 2>&1 &&
        finds '"net.connman.iwd.Device"' "$scratch/objects"
}
iwd_lists_none() { ! iwd_lists_device && finds '"net.connman.iwd.AgentManager"' "$scratch/objects"; }

# performs SENTENCE COMMAND...: runs a command on the machine. Shows its output only if it fails.
performs() {
    local sentence=$1
    shift
    machine "$@" >"$scratch/machine.log" 2>&1 || fail "$sentence" "$(<"$scratch/machine.log")"
    tell "$sentence"
}

# toggler_here ARGUMENT...: runs the installed program on the machine as a user would. Sets `status`, and keeps the
# output for the expectations.
toggler_here() {
    command_line="wifi-toggler $*" status=0
    machine wifi-toggler "$@" >"$scratch/program.out" 2>"$scratch/program.err" </dev/null || status=$?
}

lost() { ! iw dev "$station" link | finds '^Connected'; }
# loses_access_point: restarts the access point, so that the station has to associate again.
loses_access_point() {
    access_point_dies
    within 30 "the station has lost the access point" lost
    access_point
}

# recovers ARGUMENT...: runs `reconnect` on the machine. Sets `status`, and keeps the output for the expectations.
recovers() {
    command_line="wifi-toggler reconnect $*" status=0
    machine "$WIFI_TOGGLER" reconnect --fall 1 --backoff 0 --settle 40s --json "$@" "$station" \
        >"$scratch/program.out" 2>"$scratch/program.err" </dev/null || status=$?
}
# owner_findings: prints a line for each finding of doctor about an owner: its name and the reason.
owner_findings() {
    machine "$WIFI_TOGGLER" doctor --json "$station" >"$scratch/program.out" 2>"$scratch/program.err" </dev/null || :
    jq -r 'select(.finding | startswith("owner-")) | "\(.finding) \(.reason)"' "$scratch/program.out"
}
# is_content: whether doctor has no finding about owners. On a busy machine, an owner that has just started may take
# longer to answer than doctor waits.
is_content() { [[ ! $(owner_findings) ]]; }
doctor_is_content() { within 60 "doctor finds its owners at work" is_content; }
# stays_dead UNIT: from now on, systemd does not restart this unit by itself.
stays_dead() {
    local folder=/run/systemd/system/$1.service.d
    machine sh -c "mkdir -p $folder && printf '[Service]\nRestart=no\n' >$folder/lab.conf"
    performs "systemd does not restart $1 by itself" systemctl daemon-reload
}
# expect_restart UNIT CONDITION: expects that the last command restarted the unit because of this condition, and that
# this helped. `process` is the main process that the unit had before.
expect_restart() {
    expect_status 0
    expect_json '.verdict == "healthy" and .action == "recovered" and .methods == ["restart-owner"] and .method == "restart-owner" and .down_ms == 0'
    [[ $(main_process "$1") != "$process" && $(unit_state "$1") == active ]] || fail "$1 was restarted"
    finds "$2" "$scratch/program.err" || fail "it says that $2" "$(<"$scratch/program.err")"
}

# unit_property PROPERTY UNIT: prints what systemd knows of a unit of the machine.
unit_property() { machine systemctl show --property "$1" --value "$2"; }
unit_state() { unit_property ActiveState "$1"; }
main_process() { unit_property MainPID "$1"; }
unit_says() { unit_property "$1" wifi-toggler; }
unit_is() { [[ $(unit_says ActiveState) == "$1" ]]; }
# is_held_to FIELD=VALUE...: expects these values in /proc/PID/status of the service's main process (proc(5)).
is_held_to() {
    local word
    machine cat "/proc/$(unit_says MainPID)/status" >"$scratch/process"
    for word; do
        grep -q "^${word%%=*}:[[:space:]]*${word#*=}\([[:space:]]\|$\)" "$scratch/process" ||
            fail "of its process, $word" "$(grep "^${word%%=*}:" "$scratch/process")"
    done
    tell "it is held to $*"
}
# machine_is_off: whether the machine is off. When it shuts down, systemd stops all processes (SIGSTOP) before it ends
# them. nsenter(1) outside of the machine stops together with its child, and must be continued. Otherwise it never reaps
# the child, and the machine's process-ID namespace does not end.
machine_is_off() {
    kill -CONT "$journal_reader" 2>/dev/null || :
    [[ ! -e /proc/$machine ]]
}
# journal_mark: `journal_says PATTERN` searches the machine's journal, without the kernel's messages, from here on.
journal_mark() { journal_before=$(wc -l <"$scratch/journal.log"); }
journal_says() { tail -n "+$((journal_before + 1))" "$scratch/journal.log" | finds -- "$1"; }
# journal_has FIELD=VALUE...: whether the service has logged a message with all of these fields.
journal_has() {
    machine journalctl --quiet --output=json SYSLOG_IDENTIFIER=wifi-toggler _SYSTEMD_UNIT=wifi-toggler.service \
        "WIFI_TOGGLER_INTERFACE=$station" "$@" | finds '"MESSAGE":'
}
