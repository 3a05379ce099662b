"""How often intervals hold the truth, and how often tests find what is not there: every figure, many designs.

    python -m benchmarks.coverage                      go on where the last run stopped, up to 2,000 data sets a cell
    python -m benchmarks.coverage --only "mean of"     only simulations that have a cell whose name has these words
    python -m benchmarks.coverage --again --only kappa count anew
    python -m benchmarks.coverage --list --write       count nothing; put what is known into the documentation

What was counted is kept in benchmarks/coverage_cells/counts.json. A cell whose code has come to give other numbers is
counted anew. A cell keeps its promise unless the 99 % interval of its measured share lies wholly outside the band: .93
to .97 for an interval of 95 %, .03 to .06 for a test at 5 %. A figure that warns of itself there, or that is refused
with a reason, keeps its promise as well.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

# Tables are small here: threads of the linear algebra would cost far more than they save.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from benchmarks.coverage_cells import FAMILIES
from benchmarks.coverage_cells.cell import Cell, Simulation
from benchmarks.coverage_cells.counts import Count, Counted, is_stale, load, replicate, save
from goldmark.stats.inference.proportions import exact_interval

REPOSITORY = Path(__file__).resolve().parents[1]
STATISTICS = REPOSITORY / "docs" / "statistics"
PAGES = STATISTICS / "coverage"
REPLICATIONS = 2000
AT_ONCE = 50  # data sets between two savings
MONTE_CARLO = 0.99
MOSTLY = 0.9  # a warning in this share of data sets is one that users of this design see


class Measured(NamedTuple):
    """A cell's share of hits among the figures that were given, with its Monte Carlo interval, and what it means."""

    share: float | None
    low: float
    high: float
    verdict: str

    @property
    def broken(self) -> bool:
        return self.verdict.startswith("FAILS")


def every_simulation() -> list[Simulation]:
    simulations = [one for some in FAMILIES.values() for one in some]
    names = [cell.name for one in simulations for cell in one.cells]
    if len(set(names)) < len(names):
        raise ValueError(f"two cells have one name: {sorted(one for one in names if names.count(one) > 1)[0]}")
    return simulations


def every_cell() -> list[Cell]:
    return [cell for one in every_simulation() for cell in one.cells]


def judge(cell: Cell, count: Count) -> Measured:
    given = count.made - count.refused
    refused = count.refused / max(1, count.made)
    if refused >= MOSTLY:
        return Measured(None, 0.0, 1.0, f"refused: {count.reason}")
    share, interval = count.hits / given, exact_interval(count.hits, given, MONTE_CARLO)
    low, high = cell.band
    verdict = "holds"
    if interval.high < low or interval.low > high:
        narrow = (interval.high < low) == (cell.kind == "coverage")
        if count.warned >= MOSTLY * given:
            verdict = f"warns: {count.reason}"
        else:
            verdict = "FAILS, too narrow" if narrow else "FAILS, too wide"
            if cell.kind == "false positives":
                verdict = "FAILS, too often" if narrow else "FAILS, too seldom"
    elif refused:
        verdict = f"holds; refused in {refused:.1%}"
    return Measured(share, interval.low, interval.high, verdict)


def run(simulations: Sequence[Simulation], counts: dict[str, Counted], replications: int) -> None:
    """Count until every simulation has so many data sets, saving on the way."""
    start = time.perf_counter()
    for one in simulations:
        known = counts.get(one.name)
        if known is not None and is_stale(one, known):
            known = None
        while known is None or known.made < replications:
            known = replicate(one, known, min(AT_ONCE, replications - (known.made if known else 0)))
            counts[one.name] = known
            save({**load(), one.name: known})
        for cell in one.cells:
            count = known.cells[cell.name]
            print(line(cell, judge(cell, count), count), f"{time.perf_counter() - start:6.0f} s", sep="  ", flush=True)


def line(cell: Cell, found: Measured, count: Count) -> str:
    share = "     " if found.share is None else f"{found.share:.3f}"
    where = f"[{found.low:.3f}, {found.high:.3f}] of {cell.nominal:g}"
    return f"{share} {where:<24} {count.made:>5} x  {cell.figure}; {cell.design}; {cell.kind}: {found.verdict}"


# --- documentation ---


HEAD = "| figure | design | promised | measured | 99 % of chance | data sets | verdict |\n|---|---|---|---|---|---|---|"


def row(cell: Cell, count: Count) -> str:
    """One line of the page's table."""
    found = judge(cell, count)
    share = "" if found.share is None else f"{found.share:.3f}"
    where = "" if found.share is None else f"{found.low:.3f} to {found.high:.3f}"
    promised = f"{cell.nominal:g}"
    if cell.at_least:
        promised = f"{'at least' if cell.kind == 'coverage' else 'at most'} {promised}"
    what = "" if cell.kind == "coverage" else " (false positives)"
    verdict = found.verdict.replace("|", "/") + (" so far" if count.made < REPLICATIONS else "")
    return f"| {cell.figure}{what} | {cell.design} | {promised} | {share} | {where} | {count.made:,} | {verdict} |"


def rows(simulations: Sequence[Simulation], counts: Mapping[str, Counted], page: str = "") -> Iterator[str]:
    """Lines of the cells that were counted, of one page or of all, in the order of figures as they first come."""
    cells = [
        (cell, counts[one.name].cells[cell.name])
        for one in simulations
        if one.name in counts
        for cell in one.cells
        if cell.name in counts[one.name].cells and page in ("", cell.page)
    ]
    order = list(dict.fromkeys((cell.figure, cell.kind) for cell, _ in cells))
    for cell, count in sorted(cells, key=lambda one: order.index((one[0].figure, one[0].kind))):
        yield row(cell, count)


INTRODUCTION = """# How far intervals and tests hold

<!-- Written by `python -m benchmarks.coverage --write`; change the cells, not this page. -->

An interval of 95 % should hold the truth in 95 of 100 studies, and a test at 5 % should find a difference that is not
there in 5 of 100. Here both are measured: data sets are simulated of which the truth is known, and the figures are
made of them by the code that you run. Items and people are drawn anew for every data set, because others could have
been drawn. The column *99 % of chance* says how far the measured share could be off because only so many data sets
were simulated.

A line **holds** unless that range lies wholly outside .93 to .97 (intervals of 95 %) or .03 to .06 (tests at 5 %).
Where it does not, the figure **warns** or is **refused**, with the reason that you will see beside it. *At least*
marks promises that go one way: they may be kept more often than is said. *So far* would stand where fewer than
2,000 data sets were simulated yet.

Run it with `python -m benchmarks.coverage`; it goes on where it stopped, and counts anew what has come to give other
numbers.

| of what | lines | hold | warn | refused |
|---|---:|---:|---:|---:|
"""


def pages(counts: Mapping[str, Counted]) -> Mapping[str, str]:
    """By the name of its file what each page says: one counts the lines of all, and every family has its own."""
    made, listed = dict[str, str](), list[str]()
    for title, simulations in FAMILIES.items():
        if lines := list(rows(simulations, counts)):
            name = f"{re.sub(r'[ -]+', '-', title.lower().replace(',', ''))}.md"
            made[name] = "\n".join([f"# How far they hold: {title[0].lower()}{title[1:]}\n", SEE, HEAD, *lines, ""])
            ends = [line.rsplit("| ", 1)[1] for line in lines]
            numbers = (sum(end.startswith(verdict) for end in ends) for verdict in ("holds", "warns", "refused"))
            listed.append(f"| [{title}]({name}) | {len(lines)} | {' | '.join(map(str, numbers))} |")
    return {"index.md": INTRODUCTION + "\n".join([*listed, ""]), **made}


SEE = "What the columns mean stands [before the list of these pages](index.md).\n"


BEGIN, END = "<!-- coverage -->", "<!-- end of coverage -->"


def part_of_page(name: str, text: str, counts: Mapping[str, Counted]) -> str:
    """A statistic's page with its lines of the table between the two marks, if it has them."""
    if BEGIN not in text:
        return text
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    lines = list(rows(every_simulation(), counts, name))
    return f"{before}{BEGIN}\n" + "\n".join([HEAD, *lines]) + f"\n{END}{after}"


def write(counts: Mapping[str, Counted]) -> None:
    PAGES.mkdir(exist_ok=True)
    for name, text in pages(counts).items():
        (PAGES / name).write_text(text, encoding="utf-8")
    for one in STATISTICS.glob("*.md"):
        before = one.read_text(encoding="utf-8")
        if (after := part_of_page(one.stem, before, counts)) != before:
            one.write_text(after, encoding="utf-8")


def main(arguments: Sequence[str] = ()) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.coverage", description=__doc__)
    parser.add_argument("--only", default="", help="only simulations that have a cell whose name has these words")
    parser.add_argument("--replications", type=int, default=REPLICATIONS)
    parser.add_argument("--again", action="store_true", help="forget what was counted of these cells")
    parser.add_argument("--list", action="store_true", help="show what is known and count nothing")
    parser.add_argument("--write", action="store_true", help="write the pages of the documentation")
    given = parser.parse_args(arguments)
    every = every_simulation()
    chosen = [one for one in every if any(given.only in cell.name for cell in one.cells)]
    counts = {one.name: kept for one in every if (kept := load().get(one.name)) is not None}
    if given.again:
        counts = {name: count for name, count in counts.items() if name not in {one.name for one in chosen}}
        save(counts)
    if given.list:
        for one in chosen:
            for cell in one.cells:
                known = counts[one.name].cells.get(cell.name) if one.name in counts else None
                print(line(cell, judge(cell, known), known) if known else f"not counted: {cell.name}")
    else:
        run(chosen, counts, given.replications)
    if given.write:
        write(counts)
    judged = [
        judge(cell, known)
        for one in chosen
        if one.name in counts
        for cell in one.cells
        if (known := counts[one.name].cells.get(cell.name))
    ]
    broken = sum(one.broken for one in judged)
    print(f"{len(judged)} cells, {broken} fail", file=sys.stderr)
    return int(bool(broken))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
