# On a radio with a station, a P2P group and a mesh, no method takes the group or the mesh down. (on day 3 of 4)
access_point
of_supplicant=(p2p_disabled=0)
static_station
group=p2p-$station-0 mesh=mesh0
type_of() { iw dev "$1" info | sed -n 's/^\ttype //p'; }
wpa_cli -i $station p2p_group_add freq=$frequency >/dev/null
group_is_there() { [[ $(state_of $group) == up && $(type_of $group) == P2P-GO ]]; } 2>/dev/null
within $time_limit "the radio carries a P2P group" group_is_there
iw dev $station interface add $mesh type mp addr 02:00:00:00:01:02
# The kernel requires that the mesh has the beacon interval of the P2P group.
join_mesh() {
    ip link set $mesh up
    iw dev $mesh mesh join lab-mesh freq $frequency beacon-interval 100
}
join_mesh
mesh_is_there() { [[ $(type_of $mesh) == "mesh point" ]] && iw dev $mesh info | finds "channel .*$frequency"; }
within $time_limit "and a mesh" mesh_is_there
pings
changes_of() { local station=$1; changes; }
kept() {
    local other
    for other in $group $mesh; do
        [[ ! $(changes_of $other) ]] || fail "$other is left alone" "$(changes_of $other)"
    done
    group_is_there || fail "the group is still there" "$(iw dev)"
    mesh_is_there || fail "the mesh is still there" "$(iw dev)"
}

tell "a bounce takes down the station alone"
mark
toggler toggle --delay 1s --json $station
expect_status 0
expect_bounces 1 1
kept

tell "the method rfkill is refused, because of each of the others"
mark
toggler toggle --method rfkill $station
expect_status 69
expect_says "($group|$mesh) uses the same radio, and would stay down"
gateway_mutes
no_ping
toggler reconnect --fall 1 --backoff 0 --method rfkill --even-if-in-use --settle 3s $station
expect_says "($group|$mesh) uses the same radio, and would stay down"
kept
gateway_speaks
pings

# Here each of these methods is refused for a simpler reason. Tests/RecoveryTests tests that they are refused because of
# the other links on the radio, and 33-hung-owner tests a real service.
tell "rebind, reset and restart-owner are refused: the radio is on no bus, and its owner is no service"
mark
for method in rebind reset restart-owner; do
    toggler toggle --method $method $station
    expect_status 69
    case $method in
    restart-owner) expect_says "wpa_supplicant runs in no (service that is known|unit of systemd)" ;;
    *) expect_says "the interface has no bus" ;;
    esac
    expect_no_event
    kept
done

tell "the method rfkill is refused because of the group alone, and because of the mesh alone"
ip link set $mesh down
toggler toggle --method rfkill $station
expect_status 69
expect_says "$group uses the same radio, and would stay down"
join_mesh
wpa_cli -i $group p2p_group_remove $group >/dev/null
group_is_gone() { [[ ! -e /sys/class/net/$group ]]; }
within $time_limit "the group is gone" group_is_gone
toggler toggle --method rfkill $station
expect_status 69
expect_says "$mesh uses the same radio, and would stay down"
[[ ! $(changes) ]] || fail "the station is left alone" "$(changes)"

tell "without the others the method rfkill is used"
iw dev $mesh del
toggler toggle --method rfkill --delay 500ms --json $station
expect_status 0
expect_json '.methods == ["rfkill"]'
