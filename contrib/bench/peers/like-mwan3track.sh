#!/bin/sh
# A loop like that of OpenWrt's mwan3track, which no package of Debian has, with one host to track by ping and without
# the measurement of quality. Each turn makes a ping, writes a file for each figure, and pauses in the background, so
# that a signal can end the pause. The length of the pause can be chosen here.
# Run it with BusyBox, whose ash, cat, mkdir, ping and sleep OpenWrt uses.
# Wherever it is measured, its name is "a loop like mwan3track's".
# usage: like-mwan3track.sh SECONDS ADDRESS INTERFACE DIRECTORY
set -u

every=$1 host=$2 interface=$3 folder=$4
timeout=4 size=56 hops=60 up=5 down=5
score=$((up + down)) lost=0 turn=0

# Prints the whole seconds since boot.
uptime() {
    now=$(cat /proc/uptime)
    echo "${now%%.*}"
}

mkdir -p "$folder"
while true; do
    if ping -I "$interface" -c 1 -W $timeout -s $size -t $hops -q "$host" >/dev/null 2>&1; then
        echo up >"$folder/TRACK_$host"
        lost=0 score=$((score + 1))
        if [ $score -gt $up ]; then
            echo online >"$folder/STATUS"
            score=$((up + down))
        fi
    else
        echo down >"$folder/TRACK_$host"
        lost=$((lost + 1)) score=$((score - 1))
        [ $score -ge $up ] || score=0
        [ $score -ne $up ] || echo offline >"$folder/STATUS"
    fi
    turn=$((turn + 1))
    mkdir -p "$folder"
    echo $lost >"$folder/LOST"
    echo $score >"$folder/SCORE"
    echo $turn >"$folder/TURN"
    echo "$(uptime)" >"$folder/TIME"
    sleep "$every" &
    wait
done
