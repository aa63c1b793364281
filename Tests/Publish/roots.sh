# Functions for tests in fresh root file systems of Debian releases, for bash with `set -eu`. They are made once, in
# .build/roots, and only read later. The test that sources this file sets `root` (the project's directory), `folder`
# (its own, in which it is called run), `test` (its name in messages) and `work` (a directory for its files, with a
# directory `upper`). It runs `enter ARGUMENT...` if its first argument is --enter, and it defines `furnish COMMAND...`,
# which adds to the root file system in the current directory what the command needs.
# shellcheck shell=bash disable=SC2154,SC2164

readonly roots=$root/.build/roots mirror=http://deb.debian.org/debian

cannot() { echo "$*" >&2 && exit 77; }
wrong() { echo "$*" >&2 && exit 1; }
say() { echo "$test: $*" >&2; }

# need_roots: ends the test if this machine cannot make root file systems.
need_roots() {
    [ "$(id -u)" -eq 0 ] || cannot "root file systems need root"
    grep -qw overlay /proc/filesystems || cannot "this kernel lays no file system over another (overlayfs)"
    command -v debootstrap >/dev/null || cannot "debootstrap is not installed"
}

# quietly SENTENCE COMMAND...: runs a command, and shows its output only if it fails.
quietly() {
    local sentence=$1 status=0
    shift
    "$@" >"$work/output" 2>&1 </dev/null || status=$?
    [ $status -eq 0 ] || { cat "$work/output" >&2 && wrong "$sentence: status $status"; }
}

# make_root NAME RELEASE [PACKAGES]: makes a fresh, minimal root file system of this release, with these packages.
make_root() {
    local new=$roots/$1.new
    [ ! -d "$roots/$1" ] || return 0
    say "making the root file system $1"
    rm -rf "$new"
    mkdir -p "$roots"
    quietly "debootstrap $2" debootstrap --variant=minbase "$2" "$new" $mirror
    # Debian's lists of sid expire after a week, also on a mirror that gets no newer ones.
    [ "$2" != sid ] || echo 'Acquire::Check-Valid-Until "false";' >"$new/etc/apt/apt.conf.d/99sid"
    [ $# -eq 2 ] || quietly "apt-get install $3" env DEBIAN_FRONTEND=noninteractive unshare --mount chroot "$new" \
        sh -c "mount -t proc none /proc && apt-get update && apt-get --yes --no-install-recommends install $3"
    mv "$new" "$roots/$1"
}

# in_root NAME COMMAND...: runs a command in an overlay of a root file system. The overlay is kept in memory.
in_root() { unshare --mount --pid --fork --kill-child "$folder/run" --enter "$work" "$roots/$1" "${@:2}"; }

enter() {
    local work=$1 lower=$2 upper=$1/upper
    shift 2
    mount -t tmpfs -o mode=755 none "$upper"
    mkdir "$upper/changes" "$upper/work" "$upper/root"
    mount -t overlay -o "lowerdir=$lower,upperdir=$upper/changes,workdir=$upper/work" none "$upper/root"
    cd "$upper/root"
    mount -t proc none proc
    mount --rbind /dev dev
    cp -L /etc/resolv.conf etc/resolv.conf
    furnish "$@"
    exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
        chroot . "$@"
}
