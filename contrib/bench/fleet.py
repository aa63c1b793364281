"""Reads the table of contrib/bench/fleet on standard input, and prints the table and the goals, or one JSON object with
both (--json)."""

import json
import sys

sys.dont_write_bytecode = True
import goals  # beside this file; not compiled, to leave no files in the repository
import laboratory

# The goal for boxes with jitter and back-off, relative to boxes without either, which all reconnect in the same second.
LIMIT_BESIDE_NEITHER = 0.1
# The most bounces of a box, relative to a watchdog without back-off, while a bounce cannot help.
LIMIT_BESIDE_OTHERS = 0.2
# A watchdog with back-off may find the network later than one without, by this factor at most.
LIMIT_OF_TIME = 1.5
OURS, NEITHER, OTHER = "wifi-toggler", "... without either", "watchcat, 120 s"


def cells_of(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def seconds(text):
    """The time in seconds; None if the last box never recovered."""
    return float(text.removesuffix(" s")) if text.endswith(" s") else None


def fleets_of(lines):
    """One row for each line after the two header lines."""
    for line in lines[2:]:
        outage, resort, bounces, most, during, after, well = cells_of(line)
        yield {
            "outage": outage, "resort": resort, "bounces_each": float(bounces), "most_bounces": int(most),
            "joins_a_second_during": int(during), "joins_a_second_after": int(after), "all_well_after": seconds(well),
        }


def goals_of(fleets):
    for outage in dict.fromkeys(fleet["outage"] for fleet in fleets):
        of = {fleet["resort"]: fleet for fleet in fleets if fleet["outage"] == outage}
        ours, neither, other = of[OURS], of[NEITHER], of[OTHER]
        rejoining = goals.ratio(ours["joins_a_second_after"], neither["joins_a_second_after"])
        # If no box has left the network, none comes back.
        if neither["joins_a_second_after"]:
            yield goals.at_most(f"{outage}: busiest second after it, beside neither jitter nor back-off", rejoining,
                                LIMIT_BESIDE_NEITHER, "x")
        yield goals.at_most(f"{outage}: bounces per box, beside a loop like watchcat's",
                            goals.ratio(ours["bounces_each"], other["bounces_each"]), LIMIT_BESIDE_OTHERS, "x")
        yield goals.at_most(f"{outage}: time until the last box is healthy, beside the same loop",
                            goals.ratio(ours["all_well_after"], other["all_well_after"]), LIMIT_OF_TIME, "x")


def main():
    is_json = sys.argv[1:] == ["--json"]
    lines = []
    for line in sys.stdin:
        lines.append(line)
        if not is_json:
            print(line, end="", flush=True)
    fleets = list(fleets_of(lines))
    rows = list(goals_of(fleets))
    if is_json:
        print(json.dumps({"machine": laboratory.machine(), "goals": rows, "fleets": fleets}))
    else:
        print("\n".join(["", *goals.lines(rows)]))


if __name__ == "__main__":
    main()
