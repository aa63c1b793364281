#!/bin/sh
# A loop like that of OpenWrt's watchcat (mode restart_iface), which no package of Debian has. It reads the time from
# /proc/uptime before and after its pause, pings one host, and compares times. The period can be chosen here.
# Run it with BusyBox, whose ash, cat, ping and sleep OpenWrt uses.
# Wherever it is measured, its name is "a loop like watchcat's".
# usage: like-watchcat.sh SECONDS ADDRESS INTERFACE
set -u

every=$1 host=$2 interface=$3 failure_period=120

now=$(cat /proc/uptime) && now=${now%%.*}
last_check=$now last_success=$now

while true; do
    now=$(cat /proc/uptime) && now=${now%%.*}
    passed=$((now - last_check))
    [ "$passed" -lt "$every" ] && sleep "$((every - passed))"
    now=$(cat /proc/uptime) && now=${now%%.*}
    last_check=$now

    result=$(
        ping -I "$interface" -s 56 -c 1 "$host" >/dev/null 2>&1
        echo $?
    )
    [ "$result" -eq 0 ] && last_success=$now
    if [ "$((now - last_success))" -ge "$failure_period" ]; then
        ip link set "$interface" down
        ip link set "$interface" up
        last_success=$now
    fi
done
