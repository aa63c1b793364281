# NetworkManager's dispatcher has the service check at once when connectivity is lost. (up to 400 s) (on day 7 of 8)
. "$LAB/machine.sh"
shows_health() { toggler_here status && says "^$station: healthy"; }

access_point
machine_starts
dhcp_server
mkdir "$scratch/pages"
echo 'NetworkManager is online' >"$scratch/pages/online"
page_answers() {
    ip netns exec ap busybox httpd -f -p 80 -h "$scratch/pages" &
    web_server=$!
}
page_answers
machine_network_manager "uri=http://$gateway/online" interval=5
performs "the package is installed" dpkg --no-triggers --install "$WIFI_TOGGLER_PACKAGE"
performs "its dispatcher has our script" install -m 755 \
    "$LAB/../../contrib/init/networkmanager-dispatcher" /etc/NetworkManager/dispatcher.d/90-wifi-toggler
# On a busy machine the exchange of keys may come too late for the access point. NetworkManager then waits for a new key.
joins() { operational || { machine nmcli --wait 30 connection up "$network_name" >/dev/null 2>&1 && operational; }; }
within 120 "NetworkManager joins the network" joins
pings
within 30 "NetworkManager finds its way" connectivity full
printf '%s\n' '[default]' 'interval = 1h' 'fall = 2' 'recheck = 500ms' 'delay = 500ms' 'settle = 60s' 'grace = 0' \
    'verbose = yes' >/etc/wifi-toggler.conf
performs "the service starts" systemctl start wifi-toggler
within 30 "it says that the link is healthy" shows_health

tell "NetworkManager's page stops answering: the service checks, and does not bounce"
has_it_look() {
    within 20 "its dispatcher asks for a check" journal_says 'Sent signal SIGUSR1 to main process'
    within 20 "the service checks" journal_says "$station: waiting → checking"
}
journal_mark
mark
kill $web_server
within 60 "NetworkManager misses it" connectivity limited
has_it_look
expect_no_event
page_answers
within 60 "NetworkManager finds its way" connectivity full

tell "the access point silently forgets the station: the service checks at once, and bounces"
journal_mark
mark
access_point_forgets_station
within 90 "NetworkManager misses it" connectivity limited
has_it_look
within 20 "the service has bounced the link" has_bounced 1
within 60 "it says that the link is healthy" shows_health
expect_bounces 1 0.5
association
pings
within 60 "NetworkManager finds its way" connectivity full
