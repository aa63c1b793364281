# A first installation under systemd, from package to history, and a service that crashes or hangs. (up to 600 s)
. "$LAB/machine.sh"
readonly bounce_begins=6bedf7ca9685442f94aa77d2c54856b9 bounce_is_over=1a462a3c40134a6787d2a37ebc115ce3
readonly metrics=/var/lib/prometheus/node-exporter/wifi-toggler.prom
# configure LINE...: writes a configuration file as a user would, with shorter times.
configure() {
    printf '%s\n' '[default]' 'interval = 2s' 'fall = 2' 'recheck = 500ms' 'delay = 500ms' 'settle = 20s' 'grace = 0' \
        'backoff = 0' "metrics = $metrics" "$@" >/etc/wifi-toggler.conf
}
configure_anew() {
    configure "$@"
    times=$((times + 1))
    machine systemctl reload wifi-toggler
    within 20 "it has read its configuration again" has_read $times
}
times=0
has_read() { (($(machine journalctl --quiet --output=cat --unit=wifi-toggler | grep -c 'configuration read again' || :) >= $1)); }
shows_health() { toggler_here status && says "^$station: healthy"; }
metrics_say() { grep -Eq -- "$1" $metrics 2>/dev/null; }

access_point
machine_with_station

tell "the package is installed, configured and started"
performs "the package is installed" dpkg --no-triggers --install "$WIFI_TOGGLER_PACKAGE"
is_enabled() { [[ -L /etc/systemd/system/multi-user.target.wants/wifi-toggler.service ]]; }
! is_enabled || fail "installed, it is not enabled"
unit_is inactive || fail "installed, it does not run"
# These are the steps that the manual describes for node_exporter's directory.
mkdir -p "${metrics%/*}"
machine chown wifi-toggler "${metrics%/*}"
# A hook that may write to a directory of its own, as the manual describes.
mkdir -p /etc/wifi-toggler/hooks.d /etc/systemd/system/wifi-toggler.service.d
printf '%s\n' '#!/bin/sh' 'cat >>/var/lib/wifi-hooks/events' \
    'logger --tag wifi-hook "$WIFI_TOGGLER_EVENT $WIFI_TOGGLER_VERDICT in $(cat /proc/self/cgroup)"' >/etc/wifi-toggler/hooks.d/50-tell
chmod 755 /etc/wifi-toggler/hooks.d/50-tell
printf '%s\n' '[Service]' StateDirectory=wifi-hooks >/etc/systemd/system/wifi-toggler.service.d/hooks.conf
machine systemctl daemon-reload
configure
performs "the configuration is right" wifi-toggler run --check
mark
performs "the service is enabled, and started" systemctl enable --now wifi-toggler
is_enabled || fail "it is enabled"
unit_is active || fail "it runs when systemctl says so"
# The service runs as a user of its own, with only CAP_NET_ADMIN, no way to gain privileges, and a system-call filter.
is_held_to Uid="$(machine id -u wifi-toggler)" CapEff=0000000000001000 CapBnd=0000000000001000 NoNewPrivs=1 Seccomp=2
within 30 "it says that the link is healthy" shows_health
expect_no_event

tell "the access point silently forgets the station: bounce, journal, hook, metrics and history"
access_point_forgets_station
no_ping
mark
within 60 "it has bounced the link" has_bounced 1
pings
within 30 "it says that the link is healthy" shows_health
expect_bounces 1 0.5
expect_says 'last action .*: bounced \(sick at layer gateway: '
says_over() { journal_has MESSAGE_ID=$bounce_is_over WIFI_TOGGLER_VERDICT=healthy PRIORITY=5 "$@"; }
within 15 "the journal knows the bounce by its fields" says_over WIFI_TOGGLER_ACTION=bounced
hook_was_told() { grep '"event":"bounce-finished"' /var/lib/wifi-hooks/events 2>/dev/null | finds "\"interface\":\"$station\".*\"action\":\"bounced\""; }
# The journal finds the unit of a message only while the sending process exists, and the hook may have ended. So the
# messages are found by the hook's identifier.
hook_says() { machine journalctl --quiet --output=cat --identifier=wifi-hook | finds "$1"; }
within 15 "a hook was told, and has written it down" hook_was_told
within 15 "and spoken in the journal" hook_says '^bounce-finished healthy in .*/wifi-toggler.service$'
within 15 "the metrics count it" metrics_say "^wifi_toggler_bounces_total\{interface=\"$station\",outcome=\"healthy\"\} 1$"
metrics_say 'bounce_causes_total\{.*cause="gateway"\} 1$' || fail "the metrics know why" "$(<$metrics)"
toggler_here history
expect_says "^$station: 1 outage, .*; 1 bounce: 1 useful$"
toggler_here history --json
expect_json '.kind == "outage" and .layer == "gateway" and .end != null'
expect_json '.kind == "bounce" and .by == "run" and .use == "useful"'
toggler_here history --html /run/scenario/history.html
grep -q "<title>History of $station</title>" "$scratch/history.html" || fail "the history is a page, too"
# There must be no line per check, and no messages of other programs.
strange=$(machine journalctl --quiet --output=cat --unit=wifi-toggler _COMM=wifi-toggler | grep -v -e "^$station: " -e '^no interface is named; watching ' || :)
[[ ! $strange ]] || fail "the journal has nothing but what is about the link" "$strange"

tell "a member of the group may query the status, another user may not"
toggler_as() { machine setpriv --reuid nobody --regid nogroup "$@" wifi-toggler status >"$scratch/asked.log" 2>&1; }
toggler_as --groups wifi-toggler || fail "its group may ask for the status" "$(<"$scratch/asked.log")"
! toggler_as --clear-groups || fail "others may not ask for the status"

tell "the service's user may use the methods reassociate and rfkill"
method_helped() {
    toggler_here history --json
    jq --slurp --exit-status "any(.[]; .methods == [\"$1\"] and .use == \"useful\")" "$scratch/program.out" >/dev/null
}
for method in reassociate rfkill; do
    configure_anew "method = $method"
    gateway_mutes
    no_ping
    mark
    within 40 "it begins with $method" journal_has MESSAGE_ID=$bounce_begins WIFI_TOGGLER_METHOD=$method
    gateway_speaks
    pings
    within 40 "$method helped" method_helped $method
done
! rfkill -no SOFT list "$(rfkill_of $station)" | finds '^blocked' || fail "the radio is not blocked"
is_up || fail "the link is up"
has_default_route || fail "the default route is there"

tell "the service is killed in each bounce: systemd gives up, and the link is up"
mkdir -p /etc/systemd/system/wifi-toggler.service.d
# Half of the watchdog's time is longer than the guard's time-out. So if the service hangs, the guard acts before
# systemd.
printf '%s\n' '[Unit]' StartLimitIntervalSec=10min StartLimitBurst=3 '[Service]' RestartSec=100ms WatchdogSec=16s \
    >/etc/systemd/system/wifi-toggler.service.d/limit.conf
machine systemctl daemon-reload
machine systemctl stop wifi-toggler
# Earlier starts must not count. systemd may have forgotten the stopped unit, so a failure is ignored.
machine systemctl reset-failed wifi-toggler 2>/dev/null || :
configure 'force = yes' 'delay = 60s' 'probe = none'
mark
# The service reports that it is ready only after its first check.
machine systemctl start --no-block wifi-toggler
has_fallen() { (($(changes | grep -c down || :) >= $1)); }
for ((death = 1; death <= 3; death++)); do
    within 60 "it keeps the link down" has_fallen $death
    machine systemctl kill --signal=KILL --kill-whom=main wifi-toggler
    within 10 "the link is up again" has_bounced $death
done
within 60 "systemd starts it no more" unit_is failed
systemd_says() { machine journalctl --quiet --output=cat UNIT=wifi-toggler.service | finds "$1"; }
within 10 "and says so" systemd_says 'Start request repeated too quickly'
is_up || fail "the link is up"
has_default_route || fail "the default route is there"
left=$(machine find /run/wifi-toggler -name '*.intent')
[[ ! $left ]] || fail "no record of a bounce is left" "$left"
pings

tell "the service hangs, is killed or is stopped during a bounce: the link is restored"
# Adds the addresses and routes of another administrator to the link.
foreign=10.99.9.9/32
foreign_additions
before=$(belongings)
is_as_before() { [[ $(belongings) == "$before" ]]; }
configure 'interval = 1h'
# Earlier starts must not count any more.
machine systemctl reset-failed wifi-toggler
performs "the service starts again" systemctl start wifi-toggler
# asked_to_toggle DELAY: a user asks for a bounce that keeps the link down for this time, and the service performs it.
asked_to_toggle() {
    process=$(unit_says MainPID)
    journal_mark
    mark
    { machine wifi-toggler toggle --delay "$1" "$station" >"$scratch/toggle.log" 2>&1 </dev/null || :; } &
    within 30 "it keeps the link down" is_down
}
is_told() { finds 'the service has ended in the middle of the bounce' "$scratch/toggle.log"; }
is_another() { unit_is active && [[ $(unit_says MainPID) != "$process" ]]; }
is_tidy() { [[ ! $(machine find /run/wifi-toggler -type f ! -name '*.lock') ]]; }
nothing_is_lost() {
    association
    pings
    within 20 "routes and addresses are as they were" is_as_before
    within 10 "nothing is left of the bounce" is_tidy
}

asked_to_toggle 4s
machine kill -STOP "$process"
is_down || fail "it hangs while it keeps the link down"
within 10 "the link is up again" is_up
within 15 "its guard says so" journal_says 'did not raise the link in time; its guard raised the link'
within 60 "another service is there" is_another
within 10 "for systemd missed the one that hung" journal_says 'wifi-toggler.service: Watchdog timeout'
expect_bounces 1 4
nothing_is_lost

asked_to_toggle 60s
machine systemctl kill --signal=KILL --kill-whom=main wifi-toggler
within 10 "the link is up again" is_up
within 10 "its guard says so" journal_says 'died in the middle of a bounce; its guard raised the link'
within 10 "who asked for it is told" is_told
within 60 "another service is there" is_another
expect_bounces 1 0
nothing_is_lost

asked_to_toggle 60s
performs "it is stopped" systemctl stop wifi-toggler
is_up || fail "stopped in the middle of a bounce, it leaves the link up"
[[ $(unit_says Result) == success ]] || fail "it stops in time, and by itself" "$(unit_says Result)"
expect_bounces 1 0
nothing_is_lost
! machine test -e /run/wifi-toggler/control || fail "stopped, it leaves no socket"
