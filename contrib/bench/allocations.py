"""How many allocations a healthy cycle takes: the release once more, with a malloc that counts."""

import os
import subprocess

import cycles
import lives
import relink
from laboratory import ROOT

COUNTED = ("malloc", "calloc", "realloc", "posix_memalign", "aligned_alloc")
PACKAGES = ("libnl-genl-3.0", "inih")
# Seconds, and by how many cycles the long life is longer.
INTERVAL, CYCLES = 1, 12


def counting(build, folder):
    """The program, linked so that it counts."""
    counter = f"{folder}/allocations.o"
    subprocess.run(["gcc", "-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-c", "-o", counter,
                    f"{ROOT}/contrib/bench/allocations.c"], check=True)
    wraps = [f"--wrap={name}" for name in COUNTED]
    return relink.linked(build, f"{folder}/counting", [*relink.objects(build), counter], PACKAGES,
                         ["--defsym", "main=wifi_toggler_main", *wraps])


def of_a_cycle(build, folder, probes):
    """By probe, all lived at once, in a folder that is made for them."""
    os.makedirs(f"{folder}/run")
    commands = cycles.Commands(counting(build, folder), folder)
    planned, files = [], []
    for probe in probes:
        for life in cycles.planned_lives(commands, (cycles.OURS, probe, INTERVAL), {INTERVAL: CYCLES}, False):
            files.append(f"{folder}/allocations-{len(files)}")
            command = ["env", f"ALLOCATIONS={files[-1]}", *life.command]
            planned.append(lives.Life(life.name, command, life.seconds, None))
    commands.lived(planned)
    counts = [count_in(path) for path in files]
    return {probe: (counts[2 * place + 1] - counts[2 * place]) / CYCLES for place, probe in enumerate(probes)}


def count_in(path):
    if not os.path.exists(path):
        raise SystemExit(f"{path}: the program did not tell how many allocations there were")
    with open(path, encoding="ascii") as lines:
        return int(lines.read())
