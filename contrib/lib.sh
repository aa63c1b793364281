# What the scripts of contrib/ share. To be sourced by bash; expects `set -eu`.
# shellcheck shell=bash

# The project's folder, and the script's name for its messages.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
script=contrib/$(basename "$0")

# Exit statuses of sysexits(3), as the program itself uses them.
# shellcheck disable=SC2034 # used by the scripts that source this file
readonly EX_USAGE=64 EX_UNAVAILABLE=69 EX_SOFTWARE=70 EX_CANTCREAT=73

# say LINE...: one line each, to people.
say() { printf '%s\n' "$@" >&2; }

# fail STATUS SENTENCE...: says why and ends the script.
fail() {
    local status=$1
    shift
    say "$script: $*"
    exit "$status"
}

# missing_packages PURPOSE...: the Debian packages for these purposes that are not installed, one a line.
missing_packages() {
    local list package status
    list=$("$root/contrib/packages" "$@")
    for package in $list; do
        status=$(dpkg-query --show --showformat '${db:Status-Status}' "$package" 2>/dev/null) || status=absent
        [ "$status" = installed ] || printf '%s\n' "$package"
    done
}

# need_packages PURPOSE...: installs what is missing; who is not root gets the command to run instead.
need_packages() {
    local missing
    if ! command -v dpkg-query >/dev/null; then
        say "$script: not a Debian system; it needs what Debian calls:" "$("$root/contrib/packages" "$@")"
        return
    fi
    missing=$(missing_packages "$@" | tr '\n' ' ')
    missing=${missing% }
    [ -n "$missing" ] || return 0
    if [ "$(id -u)" -ne 0 ]; then
        say "$script: these Debian packages are missing: $missing"
        say "Install them with:"
        say "    sudo apt-get update && sudo apt-get install --no-install-recommends $missing"
        exit "$EX_UNAVAILABLE"
    fi
    say "Installing $missing"
    # shellcheck disable=SC2086 # one word, one package
    { apt_get update && apt_get install --no-install-recommends $missing; } \
        || fail "$EX_UNAVAILABLE" "apt-get could not install: $missing"
}

# Without questions, and silent unless it fails: errors still go to standard error.
apt_get() { DEBIAN_FRONTEND=noninteractive apt-get --yes -qq "$@" >/dev/null; }

# need_swift: puts the Swift toolchain on PATH, from one of the usual places if it is not there yet.
need_swift() {
    local folder
    command -v swift >/dev/null && return
    for folder in /opt/swift/usr/bin /usr/share/swift/usr/bin /usr/local/swift/usr/bin \
        "${HOME:-/nonexistent}/.local/share/swiftly/bin"; do
        if [ -x "$folder/swift" ]; then
            PATH=$folder:$PATH
            export PATH
            return
        fi
    done
    fail "$EX_UNAVAILABLE" "no Swift toolchain on PATH nor in the usual places" \
        "(6.2 or later: https://www.swift.org/install/linux/)"
}

# need_writable_tree: the build goes into .build in the project's folder, the toolchain's caches into the home
# folder; who has none, such as a system's user, gets one in .build.
need_writable_tree() {
    local folder=$root
    [ ! -e "$root/.build" ] || folder=$root/.build
    [ -w "$folder" ] || fail "$EX_CANTCREAT" "$folder cannot be written by $(id -un): build in a clone of your own"
    if [ ! -w "${HOME:-/nonexistent}" ]; then
        export HOME=$root/.build/home
        mkdir -p "$HOME"
    fi
}

# in_new_network COMMAND...: runs the command where it can harm nobody: a network, a mount table and
# process numbers of its own, all gone with it, however it ends. Needs no root where the kernel lets
# everybody make user namespaces.
in_new_network() {
    local namespaces=(--net --mount --pid --fork --kill-child --mount-proc)
    [ "$(id -u)" -eq 0 ] || namespaces+=(--user --map-root-user)
    unshare "${namespaces[@]}" "$@"
}

# can_make_networks: whether in_new_network works here; its complaint goes to standard output.
can_make_networks() {
    command -v unshare >/dev/null || { echo "unshare (util-linux) is not installed"; return 1; }
    # shellcheck disable=SC2016 # for the inner shell
    in_new_network sh -c 'mount -t sysfs none /sys && ip link add probe0 type veth peer name probe1' 2>&1
}
