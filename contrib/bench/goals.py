"""The goals of the benchmarks: a limit, the measured value, and whether it meets the limit. The JSON object of each
measure has them in the list `goals`; contrib/bench/all prints those of all measures as one table."""


def at_most(what, measured, limit, unit="", spread=None):
    """A goal of a measure. `measured` is None if it could not be measured; then it is not known whether the goal is
    met. `spread`: the least and the greatest value or the quartiles, if `measured` is a median; a count or a maximum
    has none."""
    return {
        "goal": what, "measured": None if measured is None else round(measured, 3),
        "spread": spread and [round(end, 3) for end in spread], "limit": limit, "unit": unit,
        "met": None if measured is None else measured <= limit,
    }


def ratio(ours, theirs):
    """The ratio; None if one of the two was not measured, or if theirs is zero."""
    return ours / theirs if ours is not None and theirs else None


def shares(ends, theirs):
    """Our spread, relative to their median."""
    return [ratio(end, theirs) for end in ends] if ends and theirs else None


def lines(rows, measures=None):
    """One table: the goal, the measured value, its spread, the limit, their ratio, and whether the goal is met."""
    titles = ("goal", "measured", "spread", "limit", "ratio", "")
    cells = [titles, *(cells_of(row, measures) for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(titles))]
    for row in cells:
        numbers = [text.rjust(width) for text, width in zip(row[1:5], widths[1:5])]
        yield "  ".join([row[0].ljust(widths[0]), *numbers, row[5]]).rstrip()


def cells_of(row, measures):
    measured, limit = row["measured"], row["limit"]
    # There is no ratio to a limit of zero.
    share = "-" if measured is None or not limit else f"{measured / limit:.2f}"
    word = {True: "met", False: "MISSED", None: "not measured"}[row["met"]]
    name = f"{row['measure']}: {row['goal']}" if measures else row["goal"]
    unit = f" {row['unit']}" if row["unit"] else ""
    spread = " - ".join(f"{end:g}" for end in row["spread"] or ())
    return name, "-" if measured is None else f"{measured:g}{unit}", spread, f"{limit:g}{unit}", share, word
