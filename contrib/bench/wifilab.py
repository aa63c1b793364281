"""Shared by the benchmarks that need a Wi-Fi link: runs measures of the lab (Tests/WiFiLab), and reads their JSON."""

import json
import os
import statistics
import subprocess
import sys

from laboratory import BINARY, ROOT

LAB = f"{ROOT}/Tests/WiFiLab"


def managers():
    """The network managers of the lab."""
    return sorted(name.removesuffix(".sh") for name in os.listdir(f"{LAB}/managers"))


def add_arguments(parser):
    parser.add_argument("--binary", default=BINARY, help="built by contrib/build")
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")


def checked(parser, options):
    if not os.access(options.binary, os.X_OK):
        parser.error(f"--binary {options.binary}: no such executable (contrib/build makes it)")
    options.binary = os.path.realpath(options.binary)
    return options


def measured(name, options, turns, *more):
    """Runs a measure of the lab in its own guest and returns its figures. The lab's messages go to standard error."""
    command = [f"{LAB}/run", "--measure", name, "--guests", "1", "--repeat", str(turns), "--binary", options.binary]
    command += more
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as lab:
        figures = []
        for line in lab.stdout:
            if line.startswith("{"):
                figures.append(json.loads(line))
            else:
                sys.stderr.write(line)
    if lab.returncode != 0:
        raise SystemExit(f"{' '.join(command)}: exit status {lab.returncode}")
    return figures


def spread(milliseconds):
    """The number of values, and their spread; None in place of the spread of fewer than two values."""
    values = sorted(milliseconds)
    if len(values) < 2:
        return {"n": len(values), "median_ms": None, "quartiles_ms": None, "range_ms": None}
    lower, median, upper = statistics.quantiles(values, n=4, method="inclusive")
    return {"n": len(values), "median_ms": round(median, 1), "quartiles_ms": [round(lower, 1), round(upper, 1)],
            "range_ms": [round(values[0], 1), round(values[-1], 1)]}


def words(row):
    """A spread as the text of a table cell."""
    if row["median_ms"] is None:
        return "-"
    lower, upper = row["quartiles_ms"]
    return f"{row['median_ms']:.0f} ({lower:.0f} - {upper:.0f})"
