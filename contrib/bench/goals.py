"""What the benchmarks are to show: a goal, what was measured, and whether that meets it. One JSON object of each
measure has them in the list `goals`; contrib/bench/all puts those of all measures into one table."""


def at_most(what, measured, limit, unit="", spread=None):
    """A goal of a measure. `measured` is None where it could not be measured, and then nobody knows. `spread`: what is
    a median has one, from and to; a count that repeats, and a longest of all, have none."""
    return {
        "goal": what, "measured": None if measured is None else round(measured, 3),
        "spread": spread and [round(end, 3) for end in spread], "limit": limit, "unit": unit,
        "met": None if measured is None else measured <= limit,
    }


def ratio(ours, theirs):
    """None where one of both was not measured, or took nothing."""
    return ours / theirs if ours is not None and theirs else None


def shares(ends, theirs):
    """What our spread is of their median."""
    return [ratio(end, theirs) for end in ends] if ends and theirs else None


def lines(rows, measures=None):
    """One table: the goal, what was measured, its spread, the limit, their ratio, met or not."""
    titles = ("goal", "measured", "spread", "limit", "ratio", "")
    cells = [titles, *(cells_of(row, measures) for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(titles))]
    for row in cells:
        numbers = [text.rjust(width) for text, width in zip(row[1:5], widths[1:5])]
        yield "  ".join([row[0].ljust(widths[0]), *numbers, row[5]]).rstrip()


def cells_of(row, measures):
    measured, limit = row["measured"], row["limit"]
    # A limit of zero has no ratio.
    share = "-" if measured is None or not limit else f"{measured / limit:.2f}"
    word = {True: "met", False: "MISSED", None: "not measured"}[row["met"]]
    name = f"{row['measure']}: {row['goal']}" if measures else row["goal"]
    unit = f" {row['unit']}" if row["unit"] else ""
    spread = " - ".join(f"{end:g}" for end in row["spread"] or ())
    return name, "-" if measured is None else f"{measured:g}{unit}", spread, f"{limit:g}{unit}", share, word
