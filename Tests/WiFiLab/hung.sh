# The driver `hung`: a radio whose firmware refuses scans, hangs or crashes. Loads the driver.
# shellcheck shell=bash disable=SC2034,SC2154 # sourced after expect.sh; variables are for the scenarios
modprobe -r e1000e 2>/dev/null || :
modprobe cfg80211
driver hung
network_name=hung at_station=(key_mgmt=NONE)
knob() { echo "$2" >"/sys/module/hung/parameters/$1"; }
index() { cat "/sys/class/net/$station/ifindex"; }
recorded_crashes() { find /sys/class/devcoredump/ -name 'devcd*' | wc -l; }
none_recorded() { (($(recorded_crashes) == 0)); }
# forget_crash: removes the record of a crash. The kernel keeps one for each device, and would drop a new one.
forget_crash() {
    # Without a record, there is no such file.
    echo 1 | tee /sys/class/devcoredump/devcd*/data >/dev/null 2>&1 || :
    within $time_limit "the kernel has removed the old record" none_recorded
}
# An earlier scenario may have left one.
forget_crash
scans_ended() { grep -c 'scan finished\|scan aborted' "$scratch/wireless.trace" || :; }
warnings() { dmesg | grep -c 'cut here' || :; }
warned=$(warnings)
# kernel_was_quiet: expects that the kernel has warned of nothing since the driver was loaded.
kernel_was_quiet() {
    tell "the kernel warned of nothing that this driver did"
    (($(warnings) == warned)) || fail "no warning of the kernel" "$(dmesg | sed '1,/cut here/d' | head -n 40)"
}
# radio_hangs: the firmware hangs while the station is associated, which ends the association. The access point is in
# range again, so that only a reset is needed. Sets `before` to the index of the interface.
radio_hangs() {
    before=$(index)
    knob refusals -1
    knob scan_errno 52
    knob in_range 0
    disassociation
    knob in_range 1
}
