# systemd-resolved hangs or is dead: it is restarted if its name server answers. (up to 400 s) (on day 7 of 8)
. "$LAB/machine.sh"

readonly name=public.example address=93.184.216.34 stub=127.0.0.53 unit=systemd-resolved.service

# recovers_names: recovers the link and its names, in up to three runs if the guest is so busy that the probe ends too
# late for a verdict.
recovers_names() {
    local run
    for run in 1 2 3; do
        recovers --settle 20s --timeout 3s --probe auto --probe "dns:$name@$stub"
        finds 'the system did not answer in time' "$scratch/program.out" || break
        tell "no verdict in run $run"
    done
}
has_failed() { [[ $(unit_state $unit) == failed ]]; }
# resolves: whether a program of the machine gets the address of the name.
resolves() { machine getent ahosts $name 2>&1 | finds "^$address "; }

name_server() {
    ip netns exec ap dnsmasq --keep-in-foreground --conf-file=/dev/null --no-resolv --no-hosts --pid-file= --user=root \
        --bind-interfaces --listen-address=$gateway --address=/$name/$address >>"$scratch/names.log" 2>&1 &
    name_server=$!
}

# expect_names CONDITION: expects a restart that helped because of this condition, and a link that stayed up.
expect_names() {
    expect_restart "$unit" "$1"
    within $time_limit "names are resolved again" resolves
}
# expect_none: expects that nothing was done about names that fail.
expect_none() {
    expect_status 1
    expect_json '.layer == "dns" and .action == "skipped" and .methods == []'
    [[ $(main_process $unit) == "$process" ]] || fail "$unit was not restarted"
}
# doctor_says FINDING: expects this finding about systemd-resolved, or none if it is empty.
doctor_says() {
    local found
    found=$(owner_findings | sed -n 's/ .*systemd-resolved.*//p')
    [[ $found == "$1" ]] || fail "doctor finds '$1' of systemd-resolved" "$(<"$scratch/program.out")"
}

managed_network
machine_with_station
name_server

tell "systemd-resolved resolves names"
grep -q '^systemd-resolve:' /etc/passwd ||
    { echo 'systemd-resolve:x:198:198::/nonexistent:/usr/sbin/nologin' >>/etc/passwd; echo 'systemd-resolve:x:198:' >>/etc/group; }
mkdir -p /etc/systemd/resolved.conf.d /etc/systemd/system/$unit.d
printf '[Resolve]\nDNS=%s\nFallbackDNS=\nLLMNR=no\nMulticastDNS=no\nDNSSEC=no\nCache=no\n' $gateway >/etc/systemd/resolved.conf.d/lab.conf
rm -f /etc/resolv.conf
echo "nameserver $stub" >/etc/resolv.conf
performs "systemd-resolved starts" systemctl start $unit
# On a busy machine, its first answer takes longer than a probe waits.
within $time_limit "it resolves the name" resolves
recovers_names
expect_status 0
expect_json '.verdict == "healthy" and .action == "none"'
doctor_says ''

tell "it hangs: it is restarted"
process=$(main_process $unit)
machine kill -STOP "$process"
doctor_says owner-hung
recovers_names
expect_names 'systemd-resolved runs, and does not resolve names'
doctor_says ''

tell "its name server is dead: it is not restarted"
process=$(main_process $unit)
kill $name_server
recovers_names
expect_none
name_server
recovers_names
expect_status 0

tell "it hangs while its name server is dead: it is not restarted before the server answers"
process=$(main_process $unit)
machine kill -STOP "$process"
kill $name_server
recovers_names
expect_none
name_server
recovers_names
expect_names 'systemd-resolved runs, and does not resolve names'

tell "a user stops it: it is not restarted"
performs "it is stopped" systemctl stop $unit
process=$(main_process $unit)
recovers_names
expect_none
[[ $(unit_state $unit) == inactive ]] || fail "it stays stopped"
performs "it is started" systemctl start $unit
recovers_names
expect_status 0

tell "it dies, and systemd gives up: it is restarted"
printf '[Service]\nRestart=no\n' >/etc/systemd/system/$unit.d/lab.conf
machine systemctl daemon-reload
process=$(main_process $unit)
machine kill -KILL "$process"
within $time_limit "its unit has failed" has_failed
doctor_says owner-dead
recovers_names
expect_names 'the service of systemd-resolved has failed'
