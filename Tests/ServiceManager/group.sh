# A control group for a service manager in namespaces, for bash. A service manager leaves its own groups, which are below
# this one; they end with the test, and with them every process that the test has started.
# shellcheck shell=bash

# make_group DIRECTORY NAME: makes the control group `group`. The control groups are mounted in the directory.
make_group() {
    mkdir "$1/groups"
    mount -t cgroup2 none "$1/groups"
    group=$1/groups/$2.$$
    mkdir "$group"
}

# in_group COMMAND...: runs a command in the group.
in_group() { (echo $BASHPID >"$group/cgroup.procs" && exec "$@"); }

# remove_group: ends the processes of the group, and removes what `make_group` has made.
remove_group() {
    [ -n "${group-}" ] || return 0
    echo 1 >"$group/cgroup.kill"
    until grep -q '^populated 0' "$group/cgroup.events"; do sleep 0.1; done
    find "$group" -depth -type d -exec rmdir {} +
    umount "${group%/*}"
}
