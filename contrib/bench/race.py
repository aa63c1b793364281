"""Times whole processes against each other: all in one run, alternating, because absolute times drift."""

import os
import statistics
import time

import goals

WARM_UP = 20


def wall_milliseconds(command, output):
    """Times one whole process, from its start until it is reaped. Its output goes to a file."""
    actions = [(os.POSIX_SPAWN_DUP2, output.fileno(), 1), (os.POSIX_SPAWN_DUP2, output.fileno(), 2)]
    began = time.perf_counter_ns()
    process = os.posix_spawn(command[0], command, os.environ, file_actions=actions)
    _, status, _ = os.wait4(process, 0)
    took = time.perf_counter_ns() - began
    if status != 0:
        with open(output.name, encoding="utf-8", errors="replace") as words:
            complaint = words.read()[-500:]
        raise SystemExit(f"{' '.join(command)}: exit status {os.waitstatus_to_exitcode(status)}\n{complaint}")
    return took / 1e6


def measure(contestants, count, folder, rare=None):
    """The times in milliseconds, by name. A rare process runs only every few turns."""
    samples, rare = {name: [] for name in contestants}, rare or {}
    with open(f"{folder}/output", "w", encoding="utf-8") as output:
        for turn in range(WARM_UP + count):
            # The order alternates from turn to turn.
            for name in sorted(contestants, reverse=turn % 2 == 1):
                if turn % rare.get(name, 1) != 0:
                    continue
                took = wall_milliseconds(contestants[name], output)
                if turn >= WARM_UP:
                    samples[name].append(took)
    return samples


def spread(values):
    lower, median, upper = statistics.quantiles(values, n=4)
    return {"median_ms": round(median, 3), "quartiles_ms": [round(lower, 3), round(upper, 3)]}


def goal_beside(rows, ours, theirs, what, limit):
    """The goal that our median is at most this multiple of theirs. A program that is missing was not measured."""
    if theirs not in rows:
        return goals.at_most(what, None, limit, "x")
    median = rows[theirs]["median_ms"]
    return goals.at_most(what, goals.ratio(rows[ours]["median_ms"], median), limit, "x",
                         goals.shares(rows[ours]["quartiles_ms"], median))
