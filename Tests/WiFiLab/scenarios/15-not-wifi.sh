# Without --any-interface, other links than Wi-Fi are refused, and not completed. (up to 300 s) (on day 3 of 4)
ip link add lab0 type veth peer name lab1 netns ap
ip -n ap link set lab1 up
ip link set lab0 up
ip -n ap address flush dev wlan0
ip -n ap address add $gateway/24 dev lab1
station=lab0
static_address
default_route
pings

mark
for command in probe reconnect toggle; do
    toggler $command lab0
    expect_status 69
    expect_says 'any-interface'
done
toggler toggle no-such-link
expect_status 69
expect_no_event

toggler toggle --any-interface --delay 1s lab0
expect_status 0
expect_bounces 1 1
pings

# Completions in the machine's own shells must offer interfaces that are no stations only with --any-interface.
others=$(cd /sys/class/net && printf '%s\n' * | grep -v '^wlan1$')
HOME=$scratch "$LAB/../Completions/run" --beside-wifi wlan1 "$others" bash zsh fish >"$scratch/completions.log" 2>&1 ||
    fail "shells complete Wi-Fi interfaces" "$(<"$scratch/completions.log")"
tell "shells complete Wi-Fi interfaces"
