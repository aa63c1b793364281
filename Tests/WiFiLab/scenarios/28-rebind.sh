# The method rebind unbinds and binds the driver of a real network card of the guest. (on day 3 of 4)
modprobe virtio_net
# The driver is removed at the end, so that the card's name and routes do not disturb later scenarios.
trap 'modprobe -r virtio_net' EXIT
card=$(basename /sys/bus/virtio/drivers/virtio_net/*/net/*)
index_of() { cat "/sys/class/net/$1/ifindex"; }
is_there() { [[ -d /sys/class/net/$card ]]; }
is_gone() { ! is_there; }
card_is_up() { [[ $(ip link show dev $card) == *[\<,]UP[,\>]* ]]; }
card_is_set_up() { card_is_up && [[ $(ip route show 198.51.100.0/24 dev $card) && $(ip -4 address show dev $card) ]]; }
within $time_limit "the card is there" is_there
ip link set $card up
ip address add 10.78.0.2/24 dev $card
ip route add 198.51.100.0/24 via 10.78.0.1 dev $card
anew() { rm -f /run/wifi-toggler/*.rebound; }

tell "the card is back with a new index, its address and its route"
before=$(index_of $card)
toggler toggle --any-interface --method rebind --delay 1s --settle 10s --probe none --json $card
expect_status 0
expect_json '.action == "bounced" and .methods == ["rebind"] and .down_ms >= 1000 and (.restored | length) >= 2'
[[ $(index_of $card) != "$before" ]] || fail "the interface was made anew"
card_is_set_up || fail "address and route are back"

tell "a second rebind in the same boot is refused"
before=$(index_of $card)
toggler toggle --any-interface --method rebind --delay 1s --probe none $card
expect_status 69
expect_says 'the driver was already unbound from this device since the machine started'
[[ $(index_of $card) == "$before" ]] || fail "the driver was left alone"

tell "the service rebinds the card and watches the new interface"
anew
before=$(index_of $card)
toggler_starts run --any-interface --force --method rebind --interval 1h --delay 1s --settle 10s --probe none $card
within 30 "it has bounced the card" program_said 1 'after the raise: healthy'
[[ $(index_of $card) != "$before" ]] || fail "the interface was made anew"
card_is_set_up || fail "address and route are back"
kill -TERM "$program"
toggler_ends 10
expect_status 0

tell "the program is killed while the driver is unbound: its guard binds the driver"
beside_service
anew
toggler_starts toggle --any-interface --method rebind --delay 30s --probe none $card
within 15 "the card is gone" is_gone
guard_is_out_of_reach || fail "the service's user cannot signal the guard"
kill -KILL "$program"
within 10 "the card is back" is_there
within 10 "with all that was on it" card_is_set_up
within 15 "the record is gone" no_record
