"""Programs linked with the very object files of the release, and as it is (contrib/lib.sh)."""

import os
import subprocess
import sys

from laboratory import ROOT

FLAGS = """. "$(dirname "$0")/../lib.sh"
printf '%s\\n' "${static_driver[@]}" "${every_linker[@]}" "${static_linker[@]}" -Xlinker --gc-sections"""


def listed(build):
    """Where it is written what the release was linked from; older objects may stand beside those."""
    return f"{build}/wifi-toggler.product/Objects.LinkFileList"


def is_possible(binary):
    """Whether what it was linked from stands beside it."""
    return os.path.exists(listed(os.path.dirname(binary)))


def objects(build, modules=None):
    """Of these modules; None: of all."""
    with open(listed(build), encoding="utf-8") as lines:
        paths = lines.read().splitlines()
    return [path for path in paths if modules is None or any(f"/{module}.build/" in path for module in modules)]


def linked(build, program, inputs, packages=("libnl-genl-3.0",), more=(), is_stripped=True):
    """`inputs`: object files, and sources in Swift. `packages`: as pkg-config knows them. `more`: for the linker."""
    flags = printed("bash", "-c", FLAGS, f"{ROOT}/contrib/bench/{os.path.basename(sys.argv[0])}")
    if not is_stripped:
        place = flags.index("--strip-all")
        del flags[place - 1:place + 1]
    headers = [f"-I{ROOT}/Sources/{name}" for name in ("CNetlink", "CLinux")]
    words = [word for flag in more for word in ("-Xlinker", flag)]
    ran = subprocess.run(
        ["swiftc", "-O", "-swift-version", "6", f"-I{build}/Modules", *headers, *flags, *words, "-o", program,
         *inputs, *libraries_of(printed("pkg-config", "--static", "--cflags", "--libs", *packages))],
        capture_output=True, text=True, check=False)
    if ran.returncode != 0:
        raise SystemExit(f"{program} could not be linked:\n{ran.stdout}{ran.stderr}")
    return program


def printed(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.split()


def libraries_of(words):
    """What pkg-config says, as the compiler of Swift takes it."""
    return [part for word in words for part in ([word] if word.startswith(("-l", "-L")) else ["-Xcc", word])]
