# The catalogue: the main faults in networks of other kinds; only with --catalogue. (up to 1500 s)
[[ ${WIFI_TOGGLER_WHOLE-} ]] || skip "only with --catalogue"
. "$LAB/catalogue.sh"
. "$LAB/kinds.sh"
# 5 GHz is allowed to all (HWSIM_REGTEST_CUSTOM_WORLD).
regulatory_test=5 frequency='2412 2437 5180'
kinds_here=("${kinds[@]}")
# A defect of the access point may spoil the first association (`spoils`, kinds.sh).
set_up() {
    joins
    static_routes
    pristine=$(layer_three)
}
catalogue association/killed association/restarted-other-key gateway/mute
