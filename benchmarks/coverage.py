"""How often intervals hold the truth, and how often tests find what is not there: every figure, many designs.

    python -m benchmarks.coverage                      go on where the last run stopped, up to 2,000 replications a cell
    python -m benchmarks.coverage --only "mean of"     only cells whose name has these words
    python -m benchmarks.coverage --again --only kappa count anew, after the code has changed
    python -m benchmarks.coverage --write              and put what is known into the documentation

What was counted is kept in .cache/coverage.json. A cell keeps its promise unless the 99 % interval of its measured
share lies wholly outside the band: .93 to .97 for an interval of 95 %, .03 to .06 for a test at 5 %. A figure that
warns of itself there, or that is refused with a reason, keeps its promise as well.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

from benchmarks.coverage_cells import agreement, models, ranks
from benchmarks.coverage_cells.cell import Cell
from goldmark.stats.inference.proportions import exact_interval

REPOSITORY = Path(__file__).resolve().parents[1]
CACHE = REPOSITORY / ".cache" / "coverage.json"
STATISTICS = REPOSITORY / "docs" / "statistics"
PAGE = STATISTICS / "coverage.md"
FAMILIES: Mapping[str, tuple[Cell, ...]] = {
    "Scores, differences and ranks": ranks.CELLS,
    "Agreement, shares, correlations": agreement.CELLS,
    "Models": models.CELLS,
}
REPLICATIONS = 2000
AT_ONCE = 50  # replications between two savings
MONTE_CARLO = 0.99
MOSTLY = 0.9  # a warning in this share of data sets is one that users of this design see


class Count(NamedTuple):
    """What was seen of a cell so far."""

    made: int = 0  # data sets
    refused: int = 0
    hits: int = 0
    warned: int = 0
    reason: str = ""  # the last that was given

    def with_(self, other: Count) -> Count:
        return Count(
            self.made + other.made,
            self.refused + other.refused,
            self.hits + other.hits,
            self.warned + other.warned,
            other.reason or self.reason,
        )


class Measured(NamedTuple):
    """A cell's share of hits among the figures that were given, with its Monte Carlo interval, and what it means."""

    share: float | None
    low: float
    high: float
    verdict: str

    @property
    def broken(self) -> bool:
        return self.verdict.startswith("FAILS")


def every_cell() -> list[Cell]:
    cells = [cell for some in FAMILIES.values() for cell in some]
    names = [cell.name for cell in cells]
    if len(set(names)) < len(names):
        raise ValueError(f"two cells have one name: {sorted(one for one in names if names.count(one) > 1)[0]}")
    return cells


def replicate(cell: Cell, first: int, number: int) -> Count:
    """Data sets `first` up to `first + number`."""
    count = Count()
    for replication in range(first, first + number):
        hit, reason = cell.simulate(cell.rng(replication))
        count = count.with_(Count(1, int(hit is None), int(hit is True), int(hit is not None and reason != ""), reason))
    return count


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
        verdict = f"holds; refused in {refused:.1%}: {count.reason}"
    return Measured(share, interval.low, interval.high, verdict)


def load() -> dict[str, Count]:
    if not CACHE.exists():
        return {}
    return {name: Count(*count) for name, count in json.loads(CACHE.read_text(encoding="utf-8")).items()}


def save(counts: Mapping[str, Count]) -> None:
    CACHE.parent.mkdir(exist_ok=True)
    partial = CACHE.with_suffix(".part")
    partial.write_text(json.dumps(counts, indent=1), encoding="utf-8")
    partial.replace(CACHE)  # a run that is killed leaves the last whole file


def run(cells: Sequence[Cell], counts: dict[str, Count], replications: int, processes: int) -> None:
    """Count until every cell has so many replications, saving on the way."""
    start = time.perf_counter()
    with ProcessPoolExecutor(processes) as pool:
        for cell in cells:
            known = counts.get(cell.name, Count())
            parts = [(at, min(AT_ONCE, replications - at)) for at in range(known.made, replications, AT_ONCE)]
            for number in range(0, len(parts), processes):
                some = parts[number : number + processes]
                for one in pool.map(_part, [cell.name] * len(some), *zip(*some, strict=True)):
                    known = known.with_(one)
                counts[cell.name] = known
                save({**load(), cell.name: known})
            print(line(cell, judge(cell, known), known), f"{time.perf_counter() - start:6.0f} s", sep="  ", flush=True)


def _part(name: str, first: int, number: int) -> Count:
    return replicate(next(cell for cell in every_cell() if cell.name == name), first, number)


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
    so_far = " so far" if found.verdict == "holds" and count.made < REPLICATIONS else ""
    return f"{_key(cell)} {share} | {where} | {count.made:,} | {found.verdict.replace('|', '/')}{so_far} |"


def _key(cell: Cell) -> str:
    """How a cell's line begins, by which it is known again."""
    promised = f"{'at least ' if cell.at_least and cell.kind == 'coverage' else ''}{cell.nominal:g} "
    promised = f"at most {cell.nominal:g} " if cell.at_least and cell.kind == "false positives" else promised
    what = "" if cell.kind == "coverage" else " (false positives)"
    return f"| {cell.figure}{what} | {cell.design} | {promised}|"


def rows(cells: Iterable[Cell], counts: Mapping[str, Count], written: str) -> Iterator[str]:
    """Lines of cells that were counted here, and as they stand of those that others counted."""
    for cell in cells:
        before = next((one for one in written.splitlines() if one.startswith(_key(cell))), None)
        count = counts.get(cell.name)
        if count is not None and count.made:
            yield row(cell, count)
        elif before is not None:
            yield before


INTRODUCTION = """# How far intervals and tests hold

<!-- Written by `python -m benchmarks.coverage --write`; change the cells, not this page. -->

An interval of 95 % should hold the truth in 95 of 100 studies, and a test at 5 % should find a difference that is not
there in 5 of 100. Here both are measured: data sets are simulated of which the truth is known, and the figures are
made of them by the code that you run. Items and people are drawn anew for every data set, because others could have
been drawn. The column *99 % of chance* says how far the measured share could be off because only so many data sets
were simulated.

A line **holds** unless that range lies wholly outside .93 to .97 (intervals of 95 %) or .03 to .06 (tests at 5 %).
Where it does not, the figure **warns** or is **refused**, with the reason that you will see beside it. *At least*
marks promises that go one way: they may be kept more often than is said. *So far* stands where fewer than 2,000 data
sets were simulated: such a line says little yet.

Run it with `python -m benchmarks.coverage`; it goes on where it stopped.
"""


def page(counts: Mapping[str, Count], written: str = "") -> str:
    parts = [INTRODUCTION]
    for title, cells in FAMILIES.items():
        if lines := list(rows(cells, counts, written)):
            parts.append("\n".join([f"## {title}\n", HEAD, *lines]) + "\n")
    return "\n".join(parts)


BEGIN, END = "<!-- coverage -->", "<!-- end of coverage -->"


def part_of_page(name: str, text: str, whole: str) -> str:
    """A statistic's page with its lines of the table between the two marks, if it has them."""
    if BEGIN not in text:
        return text
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    keys = [_key(cell) for cell in every_cell() if cell.page == name]
    lines = [one for key in keys for one in whole.splitlines() if one.startswith(key)]
    return f"{before}{BEGIN}\n" + "\n".join([HEAD, *lines]) + f"\n{END}{after}"


def write(counts: Mapping[str, Count]) -> None:
    whole = page(counts, PAGE.read_text(encoding="utf-8") if PAGE.exists() else "")
    PAGE.write_text(whole, encoding="utf-8")
    for one in STATISTICS.glob("*.md"):
        before = one.read_text(encoding="utf-8")
        if (after := part_of_page(one.stem, before, whole)) != before:
            one.write_text(after, encoding="utf-8")


def main(arguments: Sequence[str] = ()) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.coverage", description=__doc__)
    parser.add_argument("--only", default="", help="only cells whose name has these words")
    parser.add_argument("--replications", type=int, default=REPLICATIONS)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--again", action="store_true", help="forget what was counted of these cells")
    parser.add_argument("--list", action="store_true", help="show what is known and count nothing")
    parser.add_argument("--write", action="store_true", help="write the pages of the documentation")
    given = parser.parse_args(arguments)
    cells = [cell for cell in every_cell() if given.only in cell.name]
    counts = load()
    if given.again:
        counts = {name: count for name, count in counts.items() if name not in {cell.name for cell in cells}}
        save(counts)
    if given.list:
        for cell in cells:
            count = counts.get(cell.name, Count())
            print(line(cell, judge(cell, count), count) if count.made else f"not counted: {cell.name}")
    else:
        run(cells, counts, given.replications, given.processes)
    if given.write:
        write(counts)
    broken = [cell.name for cell in cells if counts.get(cell.name) and judge(cell, counts[cell.name]).broken]
    print(f"{len(cells)} cells, {len(broken)} fail", file=sys.stderr)
    return int(bool(broken))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
