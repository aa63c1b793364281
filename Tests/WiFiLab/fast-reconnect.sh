# Fast reconnect: after a bounce, the program aborts the owner's scan of all channels as soon as it begins, and the
# station associates with the access point that the kernel knows. The nl80211 events are compared, not the time.
# shellcheck shell=bash disable=SC2154 # sourced after expect.sh

# what_happened LINE: the events from this line of the recorder's trace on, as one letter each. s: a scan has begun;
# f: a scan has finished; x: a scan was aborted; d: an association has ended; a: an authentication has succeeded; A: an
# association has succeeded; !: an authentication or association has failed; c: connected.
what_happened() {
    tail -n "+$1" "$scratch/wireless.trace" | awk '
        /scan started/ { printf "s" }
        /scan finished/ { printf "f" }
        /scan aborted/ { printf "x" }
        / disconnected / { printf "d" }
        / (auth|assoc) / { printf /status: 0: / ? (/ auth / ? "a" : "A") : "!" }
        /timed out|connect failed/ { printf "!" }
        / connected to / { printf "c" }'
}
next_event() { echo $(($(wc -l <"$scratch/wireless.trace") + 1)); }
connected_since() { [[ $(what_happened "$1") == *d*c* ]]; }

# expect_way_back EVENTS WANTED: the events after the end of the association must match WANTED, a bash pattern.
expect_way_back() {
    [[ ${1##*d} == $2 ]] || fail "after the bounce what nl80211 tells is '$2'" "$1: $(tail -n "+$first" "$scratch/wireless.trace")"
}

# After the end of the association: in the first pattern, the owner's scan is aborted and no attempt to join fails; in
# the second, the owner's scan is complete.
cut_short='sxaAc*([sf])'
left_whole='*(s)faAc*([sf])'

# scanned_few LINE: whether the owner's first scan after the end of the association covered too few channels for an
# abort (Scan.fewestChannels). wpa_supplicant makes such a scan seldom, even just after its start.
scanned_few() {
    tail -n "+$1" "$scratch/wireless.trace" | awk '
        / disconnected / { ended = 1 }
        ended && /scan finished/ { sub(/,.*/, ""); few = NF - 6 < 4; exit }
        END { exit !few }'
}

# short_bounces COUNT: makes this many bounces in a row. Sets `recoveries` to the milliseconds from each raise to the
# healthy verdict.
short_bounces() {
    local count=$1 bounce exceptions=0 fastest
    recoveries=()
    for ((bounce = 1; bounce <= count; bounce++)); do
        first=$(next_event)
        toggler toggle --verbose --json --delay 200ms --settle 40s $station
        expect_status 0
        if ! says "the owner's scan was aborted" && scanned_few "$first" && ((++exceptions < 3)); then
            tell "the owner has scanned few channels by itself: once more"
            bounce=$((bounce - 1))
            pings
            continue
        fi
        expect_says "the owner's scan was aborted"
        within $time_limit "bounce $bounce: nl80211 tells of the connection" connected_since "$first"
        happened=$(what_happened "$first")
        [[ ${happened%%d*} == *sf* ]] || fail "the access point is heard once more before the bounce" "$happened"
        expect_way_back "$happened" "$cut_short"
        recoveries+=("$(jq '.recovery_ms' "$scratch/program.out" | tail -n 1)")
        pings
    done
    # NetworkManager assigns its link-local address only ten seconds after the link was lowered. On a busy machine one
    # recovery may take that long, but not every one.
    fastest=$(printf '%s\n' "${recoveries[@]%.*}" | sort -n | head -n 1)
    ((fastest < 9000)) || fail "the program does not wait for a link-local address" "$fastest ms"
    printf '%s\n' "${recoveries[@]}" | sort -n | awk -v whose="${title:-wpa_supplicant}" '
        { took[NR] = $1 }
        END {
            printf "fast reconnect, %s: %d bounces, none failed; from the raise to a good verdict %d ms (%d to %d)\n",
                whose, NR, took[int((NR + 1) / 2)], took[1], took[NR]
        }' | tee -a "$REPORT"
}
