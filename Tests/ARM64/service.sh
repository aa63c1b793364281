# The Debian package with systemd: the service cures a sick link; after a kill its guard raises the link. (up to 400 s)
. "$LAB/machine.sh"
access_point
machine_with_station

performs "the package is installed" dpkg --no-triggers --install "$WIFI_TOGGLER_PACKAGE"
# The helper exits with 64 if its standard input is no socket. This status shows that it starts and finds its libraries.
helper=0
machine /usr/libexec/wifi-toggler/wifi-toggler-prober </dev/null >"$scratch/helper.log" 2>&1 || helper=$?
((helper == 64)) || fail "the helper starts" "status $helper"
printf '%s\n' '[default]' 'interval = 2s' 'fall = 2' 'recheck = 500ms' 'delay = 500ms' 'settle = 20s' 'grace = 0' \
    'backoff = 0' >/etc/wifi-toggler.conf
performs "the configuration is right" wifi-toggler run --check
performs "the service is enabled, and started" systemctl enable --now wifi-toggler
unit_is active || fail "it runs"
is_held_to Uid="$(machine id -u wifi-toggler)" CapEff=0000000000001000 NoNewPrivs=1 Seccomp=2
shows_health() { toggler_here status && says "^$station: healthy"; }
within 30 "it says that the link is healthy" shows_health

access_point_forgets_station
no_ping
mark
within 60 "it has bounced the link" has_bounced 1
pings
within 30 "it says that the link is healthy again" shows_health
expect_bounces 1 0.5

# Kill the service while it keeps the link down. The user's command waits a second for the service's answer. On an
# emulated processor this may be too short: the command then fails, because the service has the lock. So repeat the
# command.
sed -i 's/^interval = .*/interval = 1h/' /etc/wifi-toggler.conf
performs "the service starts again with another configuration" systemctl restart wifi-toggler
journal_mark
mark
asks() { machine wifi-toggler toggle --delay 60s "$station" >"$scratch/toggle.log" 2>&1 </dev/null; }
is_answered() { ! finds 'locked by' "$scratch/toggle.log"; }
{ until asks || is_answered; do :; done; } &
within 30 "a user asks for a bounce, and the link is down" is_down
process=$(unit_says MainPID)
death=$(day_seconds)
machine kill -KILL "$process"
within 10 "the guard raises the link" is_up
# The time is that of the kernel's announcement. It includes the start of the command that kills the service.
raised=$(raised_after "$death")
((raised <= 1000)) || fail "the link is up within a second of the kill" "$raised ms"
tell "killed, and the link is up after $raised ms"
within 10 "its guard says so" journal_says 'died in the middle of a bounce; its guard raised the link'
association
pings
within 60 "systemd has started it again" unit_is active
performs "it is stopped" systemctl stop wifi-toggler
is_up || fail "the link is up at the end"
