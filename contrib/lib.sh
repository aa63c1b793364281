# Functions that the scripts of contrib/ share. Source it from bash after `set -eu`.
# shellcheck shell=bash

# The project's directory, and the script's name for its messages.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
script=contrib/$(basename "$0")

# Exit statuses of sysexits(3), as the program itself uses them.
# shellcheck disable=SC2034 # used by the scripts that source this file
readonly EX_USAGE=64 EX_UNAVAILABLE=69 EX_SOFTWARE=70 EX_CANTCREAT=73

# The directory where contrib/build puts the release: wifi-toggler, its helper, and the debug symbols of both.
# shellcheck disable=SC2034 # used by the scripts that source this file
release=$root/.build/release-static

# The unit tests that wait the longest, about as long as all others together if these run one after the other. So they
# run as a process of their own.
# shellcheck disable=SC2034 # used by the scripts that source this file
readonly longest_unit_tests='RecoveryTests\.Owner'

# Parts of the system tests that take about the same time. They mostly wait, so each part runs as a process of its own.
# shellcheck disable=SC2034
readonly system_parts=('^SystemTests\.[A-H]' '^SystemTests\.[I-P]' '^SystemTests\.[Q-Z]')

# release_of ARCHITECTURE: prints the directory of the release for an architecture (Debian's name).
release_of() { if [ "$1" = "$(architecture)" ]; then echo "$release"; else echo "$release-$1"; fi; }

# Prints Debian's name for this machine's architecture.
architecture() { dpkg --print-architecture 2>/dev/null || uname -m; }

# need_architecture NAME: ends the script unless this machine can build for the architecture.
need_architecture() {
    [ "$1" = "$(architecture)" ] || [ "$1" = arm64 ] \
        || fail "$EX_USAGE" "--arch $1: only arm64 can be built for, or $(architecture), this machine's own"
}

# say LINE...: prints each line on standard error.
say() { printf '%s\n' "$@" >&2; }

# fail STATUS SENTENCE...: prints the reason and ends the script.
fail() {
    local status=$1
    shift
    say "$script: $*"
    exit "$status"
}

# missing_packages PURPOSE...: prints the Debian packages for these purposes that are not installed, one a line.
missing_packages() {
    local list package status
    # A command substitution does not inherit `set -e`, so return the status.
    list=$("$root/contrib/packages" "$@") || return
    for package in $list; do
        status=$(dpkg-query --show --showformat '${db:Status-Status}' "$package" 2>/dev/null) || status=absent
        [ "$status" = installed ] || printf '%s\n' "$package"
    done
}

# need_packages PURPOSE...: installs the missing packages. For a user other than root, prints the command that installs
# them, and ends the script. On a system other than Debian, only prints the names. After `apt-get update` it looks for
# missing packages again, because some names of packages are known only then.
need_packages() {
    local missing
    if ! command -v dpkg-query >/dev/null; then
        missing=$("$root/contrib/packages" "$@") || exit
        say "$script: not a Debian system; it needs what Debian calls:" "$missing"
        return
    fi
    missing=$(missing_packages "$@") || exit
    missing=${missing//$'\n'/ }
    [ -n "$missing" ] || return 0
    if [ "$(id -u)" -ne 0 ]; then
        say "$script: these Debian packages are missing: $missing"
        say "Install them with:"
        say "    sudo apt-get update && sudo apt-get install --no-install-recommends $missing"
        exit "$EX_UNAVAILABLE"
    fi
    apt_get update || fail "$EX_UNAVAILABLE" "apt-get could not read the lists of packages, to install: $missing"
    missing=$(missing_packages "$@") || exit
    missing=${missing//$'\n'/ }
    say "Installing $missing"
    # shellcheck disable=SC2086 # one word is one package
    apt_get install --no-install-recommends $missing \
        || fail "$EX_UNAVAILABLE" "apt-get could not install: $missing"
}

# Runs apt-get without questions. It is silent unless it fails: errors still go to standard error.
apt_get() { DEBIAN_FRONTEND=noninteractive apt-get --yes -qq "$@" >/dev/null; }

# need_swift: adds the Swift toolchain to PATH, from one of the usual places, if it is not there yet. Ends the script if
# there is no toolchain, or an older one than $least_swift.
need_swift() {
    local folder version
    if ! command -v swift >/dev/null; then
        for folder in /opt/swift/usr/bin /usr/share/swift/usr/bin /usr/local/swift/usr/bin \
            "${HOME:-/nonexistent}/.local/share/swiftly/bin"; do
            if [ -x "$folder/swift" ]; then
                PATH=$folder:$PATH
                export PATH
                break
            fi
        done
    fi
    if ! command -v swift >/dev/null; then
        say "$script: no Swift toolchain on PATH nor in the usual places; $least_swift or later is needed."
    else
        version=$(swift_says 'compilerVersion": "[^"]*Swift version \([0-9.]*\).*')
        ! is_enough_swift "$version" || return 0
        say "$script: $(command -v swift) is Swift ${version:-of no known version}; $least_swift or later is needed."
    fi
    say_how_to_get_swift
    exit "$EX_UNAVAILABLE"
}

# cross_folder ARCHITECTURE: prints the directory of contrib/cross's root file systems. They are large, so all clones of
# the repository use the same.
cross_folder() { echo "${WIFI_TOGGLER_CROSS_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/wifi-toggler-cross}/$1"; }

# The least Swift version that Package.swift accepts, and the version that a message proposes if Debian's is too old.
readonly least_swift=6.2 fetched_swift=6.3.1

# is_enough_swift VERSION: whether this version is new enough.
is_enough_swift() { [ -n "$1" ] && printf '%s\n' "$least_swift" "$1" | sort --version-sort --check=quiet; }

# swift_says PATTERN: prints the part of the toolchain's report about itself that the group in the pattern matches. The
# pattern begins after a quote. The path of the compiler is not reliable: it may be a link, or a program that starts
# another compiler.
swift_says() { swiftc -print-target-info 2>/dev/null | sed -n "s|.*\"$1|\1|p"; }

# Prints the directory of the toolchain, which has bin, lib/swift and so on.
swift_folder() { swift_says 'runtimeResourcePath": "\(.*\)/lib/swift".*'; }

say_how_to_get_swift() {
    local version place=debian12 url curl=()
    version=$(LC_ALL=C apt-cache policy swiftlang 2>/dev/null | sed -n 's/^ *Candidate: \([0-9.]*\).*/\1/p')
    if is_enough_swift "$version"; then
        say "Install it with:" "    sudo apt-get install swiftlang"
        return
    fi
    [ "$(uname -m)" = x86_64 ] || place+=-$(uname -m)
    url=https://download.swift.org/swift-$fetched_swift-release/$place
    url+=/swift-$fetched_swift-RELEASE/swift-$fetched_swift-RELEASE-$place.tar.gz
    command -v curl >/dev/null || curl=("    sudo apt-get install curl")
    say "Install it with swiftly (https://www.swift.org/install/linux/), or, where it is found without PATH, with:" \
        "${curl[@]}" "    sudo mkdir -p /opt/swift" \
        "    curl -fL $url | sudo tar -xz --strip-components=1 -C /opt/swift"
}

# need_writable_tree: checks that the build can write to .build in the project's directory. The toolchain's caches are
# in the home directory; a user without one, such as a system account, gets one in .build.
need_writable_tree() {
    local folder=$root
    [ ! -e "$root/.build" ] || folder=$root/.build
    [ -w "$folder" ] || fail "$EX_CANTCREAT" "$folder cannot be written by $(id -un): build in a clone of your own"
    if [ ! -w "${HOME:-/nonexistent}" ]; then
        export HOME=$root/.build/home
        mkdir -p "$HOME"
    fi
}

# in_new_network COMMAND...: runs a command with its own network, mounts and process IDs, all of which disappear when it
# ends. Needs no root if the kernel lets every user create user namespaces.
in_new_network() {
    local namespaces=(--net --mount --pid --fork --kill-child --mount-proc)
    [ "$(id -u)" -eq 0 ] || namespaces+=(--user --map-root-user)
    unshare "${namespaces[@]}" "$@"
}

# can_make_networks: whether in_new_network works here. If not, prints the reason to standard output.
can_make_networks() {
    command -v unshare >/dev/null || { echo "unshare (util-linux) is not installed"; return 1; }
    # shellcheck disable=SC2016 # the inner shell expands it
    in_new_network sh -c 'mount -t sysfs none /sys && ip link add probe0 type veth peer name probe1' 2>&1
}

# rules PREFIX DIRECTORY: prints the place of a directory of rules. dbus-daemon(1), and polkit before version 124, such as
# that of Debian 12, read only the rules below /usr/share and /etc.
rules() { if [ "$1" = /usr/local ]; then echo "/etc/$2"; else echo "$1/share/$2"; fi; }
readonly bus_rules=dbus-1/system.d polkit_rules=polkit-1/rules.d

# product_files PREFIX BINARY: prints the files of an installation, one a line: mode, path, source. The helper is in the
# directory of the binary.
product_files() {
    local prefix=$1 binary=$2 file
    echo "755 $prefix/sbin/wifi-toggler $binary"
    echo "755 $prefix/libexec/wifi-toggler/wifi-toggler-prober $(dirname "$binary")/wifi-toggler-prober"
    for file in "$root"/man/*.[578]; do
        echo "644 $prefix/share/man/man${file##*.}/$(basename "$file") $file"
    done
    file=wifitoggler.Control.varlink
    echo "644 $prefix/share/wifi-toggler/$file $root/contrib/$file"
    echo "644 $prefix/share/wifi-toggler/drivers.conf $root/contrib/drivers.conf"
    echo "644 $prefix/lib/systemd/system/wifi-toggler.service $root/contrib/wifi-toggler.service"
    for file in "$root"/contrib/systemd/*@.*; do
        echo "644 $prefix/lib/systemd/system/$(basename "$file") $file"
    done
    echo "644 $prefix/lib/sysusers.d/wifi-toggler.conf $root/contrib/wifi-toggler.sysusers"
    echo "644 $(rules "$prefix" $polkit_rules)/60-wifi-toggler.rules $root/contrib/wifi-toggler.polkit"
    echo "644 $(rules "$prefix" $bus_rules)/wifi-toggler.conf $root/contrib/wifi-toggler.dbus"
    echo "644 $prefix/share/bash-completion/completions/wifi-toggler $root/contrib/completions/wifi-toggler.bash"
    echo "644 $prefix/share/zsh/site-functions/_wifi-toggler $root/contrib/completions/_wifi-toggler"
    echo "644 $prefix/share/fish/vendor_completions.d/wifi-toggler.fish $root/contrib/completions/wifi-toggler.fish"
    for file in wifi-toggler.conf.example wifi-toggler.cron systemd/echo.conf systemd/processes.conf \
        systemd/reboot.conf systemd/root.conf; do
        echo "644 $prefix/share/doc/wifi-toggler/examples/$(basename "$file") $root/contrib/$file"
    done
    echo "644 $prefix/share/doc/wifi-toggler/TROUBLESHOOTING.md $root/contrib/docs/TROUBLESHOOTING.md"
    # These are hooks for users to copy to hooks.d and change. The first lines of each file say what it needs.
    for file in mail mqtt ntfy ping; do
        echo "644 $prefix/share/doc/wifi-toggler/examples/hooks/$file $root/contrib/hooks/$file"
    done
    # These are for other init systems, and for NetworkManager's dispatcher. The first lines of each script say where it
    # goes, and with which mode. Those of runit/run also cover the other files of runit.
    for file in init/openrc init/procd init/runit/run init/runit/finish init/runit/log/run init/networkmanager-dispatcher; do
        echo "644 $prefix/share/doc/wifi-toggler/examples/$file $root/contrib/$file"
    done
}

# install_product_file PREFIX MODE TARGET SOURCE: copies one of the files. In text files, replaces /usr/local/ by PREFIX
# in the paths of this program's files and directories. What others have there, such as the directories of PATH, stays.
install_product_file() {
    local prefix=$1 mode=$2 target=$3 source=$4
    [ -e "$source" ] || fail "$EX_UNAVAILABLE" "$source is not there (contrib/build makes the binaries)"
    case $mode in
        755) install -D -m "$mode" "$source" "$target" ;;
        *)
            mkdir -p "$(dirname "$target")"
            sed "s|/usr/local/\([a-z0-9/.-]*/wifi-toggler\)|$prefix/\1|g
                 s|$(rules /usr/local $bus_rules)/wifi-toggler|$(rules "$prefix" $bus_rules)/wifi-toggler|g" "$source" >"$target"
            chmod "$mode" "$target"
            ;;
    esac
}

version_of_sources() { sed -n 's/.*static let version = "\(.*\)"$/\1/p' "$root/Sources/Invocation/Help/Help.swift"; }

# Prints SOURCE_DATE_EPOCH or, if it is not set, the time of the last commit or, without git, the present time, in
# seconds since 1970. Files that are made from the sources get this time, so that the same sources give the same package
# (https://reproducible-builds.org/specs/source-date-epoch/).
time_of_sources() { echo "${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct 2>/dev/null || date +%s)}"; }

# sign KEY ARGUMENT...: runs gpg with the key.
sign() {
    local key=$1
    shift
    gpg --batch --yes --quiet --local-user "$key" "$@" || fail "$EX_UNAVAILABLE" "the key $key signs nothing"
}

# newest_version LIBRARY FILE: prints the newest version of symbols that a program needs from a library, such as 2.35 of
# GLIBC. readelf reads programs for any architecture.
newest_version() {
    LC_ALL=C readelf --wide --version-info "$2" | sed -n "s/.*Name: $1_\([0-9.]*\) .*/\1/p" | sort --version-sort |
        tail -n 1
}

# oldest_release_runs HELPER: checks the versions of the symbols that the helper needs from the C and C++ libraries. A
# newer one than those of Debian 12 would keep it from starting there.
oldest_release_runs() {
    oldest_release_has "$1" GLIBC 2.36
    oldest_release_has "$1" GLIBCXX 3.4.30
}
oldest_release_has() {
    local newest
    newest=$(newest_version "$2" "$1")
    printf '%s\n' "${newest:-0}" "$3" | sort --version-sort --check=quiet || fail "$EX_SOFTWARE" \
        "$(basename "$1") asks for $2_$newest, but Debian 12 has $2_$3 at most: build on Debian 12"
}

# libraries_by_symbols BINARY DIR: prints dependencies as dpkg-shlibdeps does, but for libraries that are not
# installed here: for each package, the first version with all symbols that the program uses, according to Debian's
# lists of symbols (deb-symbols(5)).
libraries_by_symbols() {
    local package version
    local -A first
    while read -r package version; do
        if [ -z "${first[$package]-}" ] || dpkg --compare-versions "$version" gt "${first[$package]}"; then
            first[$package]=$version
        fi
    done < <(
        awk 'FNR == NR { used[/@/ ? $1 : $1 "@Base"]; next }
             /^[^ *|]/ { package = $2 }
             /^ / && $1 in used { print package, $2 }' \
            <(LC_ALL=C readelf --wide --dyn-syms "$1" | sed -n 's/.* UND \([^ ]*\).*/\1/p') "$2"/*
    )
    for package in "${!first[@]}"; do echo "$package (>= ${first[$package]})"; done | sort | sed ':all; N; s/\n/, /; b all'
}
