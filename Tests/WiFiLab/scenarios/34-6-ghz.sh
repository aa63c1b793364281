# A network on 6 GHz; only where the kernel's simulated radios may use it (--release sid). (up to 400 s)
. "$LAB/fast-reconnect.sh"
. "$LAB/kinds.sh"

kinds_radios
iw phy "$(phy_of $station)" info | finds '5975.* MHz.*dBm' || skip "this kernel's mac80211_hwsim does not allow 6 GHz"
kind 6-ghz
network
joins
on_channel 5975 || fail "the station is on channel 5 of 6 GHz"
toggler list --json
expect_json ".interface == \"$station\" and .association.frequency_mhz == 5975"
works
leaves
