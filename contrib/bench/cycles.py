"""The commands of several watchdogs, and the cost of one healthy cycle of each."""

import functools
import os
import shutil
import statistics

import laboratory
import lives
from laboratory import FAR_ADDRESS, NEAR, PEERS

OURS, EPOLL, SAME = "wifi-toggler", "C, epoll", "C, the same calls"
# Debian has no packages of the originals.
WATCHCAT, MWAN3TRACK, DPINGER = "a loop like watchcat's", "a loop like mwan3track's", "a loop like dpinger's"
# These pause for whole seconds after each cycle, without a schedule, so that the cycles drift.
DRIFTING = (WATCHCAT, MWAN3TRACK)
# A run ends this part of a second after the beginning of the second before its next cycle. If the program takes longer
# than this to start, a run with an interval of 1 s loses its last cycle.
PHASE = 0.9


class Commands:
    """The command of each contestant; each of wifi-toggler's has its own directory for its locks."""

    def __init__(self, binary, folder):
        self.binary, self.folder, self.number = laboratory.installed(binary, folder), folder, 0

    @functools.cache
    def program(self, name):
        return laboratory.compiled(name, self.folder)

    @functools.cache
    def applets(self):
        """A directory with links to BusyBox: on OpenWrt, this one program provides all of these commands."""
        busybox, folder = shutil.which("busybox"), f"{self.folder}/applets"
        if not busybox:
            raise SystemExit("there is no busybox on PATH (contrib/packages race)")
        os.mkdir(folder)
        for applet in ("ash", "cat", "mkdir", "ping", "sleep"):
            os.symlink(busybox, f"{folder}/{applet}")
        return folder

    def make(self, name, probe=None, interval=0):
        milliseconds = f"{interval * 1000:.0f}"
        if name == OURS:
            self.number += 1
            own = f"{self.folder}/run/{self.number}"
            os.mkdir(own)
            return [self.binary, "run", *laboratory.environment(own), "--interval", f"{milliseconds}ms",
                    "--probe", probe, NEAR]
        if name == EPOLL:
            whom = ["link", NEAR] if probe == "none" else ["icmp", FAR_ADDRESS]
            return [self.program("epoll"), milliseconds, *whom]
        if name == SAME:
            return [self.program("same-calls"), milliseconds, NEAR, *([FAR_ADDRESS] if probe == "icmp" else [])]
        if name in DRIFTING:
            shell = ["env", f"PATH={self.applets()}:{os.environ['PATH']}", "ash"]
            common = [str(interval), FAR_ADDRESS, NEAR]
            if name == WATCHCAT:
                return [*shell, f"{PEERS}/like-watchcat.sh", *common]
            self.number += 1
            return [*shell, f"{PEERS}/like-mwan3track.sh", *common, f"{self.folder}/run/{self.number}"]
        return [self.program("like-dpinger"), FAR_ADDRESS]

    def lived(self, planned):
        return lives.all_lived(planned, self.program("late"), self.folder)


def healthy_cycles(commands, contests, cycles, groups):
    """The cost of one cycle of each contestant (name, probe, interval in seconds): the medians of its groups.
    `cycles`: by how many cycles of an interval the long run is longer than the short one. `groups`: the runs that
    happen at the same time, traced or not. Tracing slows down all programs of a group, but does not change counts."""
    pairs = {contest: {True: [], False: []} for contest in contests}
    for group in groups:
        planned = [pair for is_traced in group for contest in contests
                   for pair in planned_lives(commands, contest, cycles, is_traced)]
        costs = iter(commands.lived(planned))
        for is_traced in group:
            for contest in contests:
                pairs[contest][is_traced].append({"short": next(costs), "long": next(costs)})
    return [row_of(contest, costs, cycles) for contest, costs in pairs.items()]


def planned_lives(commands, contest, cycles, is_traced):
    name, probe, interval = contest
    # A short run has two cycles. The second may still include work that is done only once.
    short = 2 * interval - 1 + PHASE
    for seconds in (short, short + cycles[interval] * interval):
        trace = f"{commands.folder}/trace-{abs(hash((contest, seconds)))}" if is_traced else None
        yield lives.Life(name, commands.make(name, probe, interval), seconds, trace)


def row_of(contest, costs, cycles):
    name, probe, interval = contest

    def more(long, short):
        """A program that drifts has had as many cycles as it has sent packets."""
        return long.sent - short.sent if name in DRIFTING else cycles[interval]

    plain = [lives.difference(**pair, cycles=more(**pair)) for pair in costs[False]]
    traced = [lives.traced_difference(**pair, cycles=more(**pair)) for pair in costs[True]]
    each = {column: [row[column] for row in rows] for rows in (plain, traced) for column in rows[0]}
    calls = each.pop("by name")
    return {"who": name, "probe": probe, "interval_s": interval, "by name": calls[0], "each": each,
            **{column: statistics.median(values) for column, values in each.items()}}
