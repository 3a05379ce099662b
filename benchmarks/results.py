"""Results of campaigns with 100,000 responses: time and memory, beside ways that load everything first.

A campaign with four scales and one with marked passages. Each is observed, its results are computed, and its tables are
written; the naive ways build the whole record of the campaign before anything else, and read the exported file with
pandas to group it. Every measurement runs in a process of its own, so that peaks are its own.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

RESPONSES = 100_000
MEASURE = """
import resource, sys, time
from pathlib import Path
from goldmark.store import open_store
address, name, folder = sys.argv[1], sys.argv[2], Path(sys.argv[3])
store = open_store(address)
{imports}
start, busy = time.perf_counter(), time.process_time()
{work}
used = resource.getrusage(resource.RUSAGE_SELF)
print(time.perf_counter() - start, time.process_time() - busy, used.ru_maxrss // 1024)
"""
OBSERVE = ("from goldmark.campaigns.transfer.observe import observe", "observe(store, name)")
RECORD = ("from goldmark.campaigns.transfer.export import record_of", "record_of(store, name)")
RESULTS = (
    "from goldmark.results.all_tables import results_of\nfrom goldmark.results.options import AnalysisOptions",
    "results_of(store, name, AnalysisOptions())",
)
RESULTS_OF_RECORD = (
    "from goldmark.campaigns.transfer.export import record_of\n"
    "from goldmark.observations.frames import collect\n"
    "from goldmark.observations.source import RecordSource\n"
    "from goldmark.results.all_tables import assembled\n"
    "from goldmark.results.options import AnalysisOptions",
    "assembled(name, collect(RecordSource(record_of(store, name))), AnalysisOptions())",
)
EXPORT = (
    "from goldmark.campaigns.transfer.observe import write_observations",
    "write_observations(store, name, folder)",
)
EXPORT_OF_RECORD = (
    "from goldmark.campaigns.transfer.export import record_of\n"
    "from goldmark.observations.files import write_tables\n"
    "from goldmark.observations.source import RecordSource",
    "write_tables(RecordSource(record_of(store, name)), folder)",
)
# Means without any interval, of files that somebody had exported before.
GROUPBY = (
    "import pandas",
    "data = pandas.read_csv(folder)\n"
    "items = data.groupby(['question', 'system', 'item'])[COLUMN].mean()\n"
    "items.groupby(level=[0, 1]).mean()",
)
FILL = """
import sys
from benchmarks._filled import fill, marked, rated
from goldmark.protocols import load
from goldmark.store import open_store
from goldmark.store.migrate import upgrade
store = open_store(sys.argv[1])
upgrade(store)
fill(store, "rated", load("rating-summary"), rated, int(sys.argv[2]))
fill(store, "marked", load("accuracy"), marked, int(sys.argv[2]))
store.close()
"""


class Measured(NamedTuple):
    seconds: float
    busy: float  # of computing, whatever else the machine did
    megabytes: int


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        address = str(folder / "goldmark.db")
        # In a process of its own too: a child's peak begins with what its parent holds.
        subprocess.run([sys.executable, "-c", FILL, address, str(RESPONSES)], check=True)
        for campaign, table, column in (("rated", "ratings", "'value'"), ("marked", "spans", "'end'")):
            print(f"{campaign}: {RESPONSES:,} responses")
            _report("observed", address, campaign, folder / "x", OBSERVE, "the whole record", RECORD)
            tidy = folder / f"{campaign}-tidy"
            naive = folder / f"{campaign}-naive"
            _report(
                "written as tables", address, campaign, tidy, EXPORT, "of the whole record", EXPORT_OF_RECORD, naive
            )
            _report("all results", address, campaign, folder / "x", RESULTS, "of the whole record", RESULTS_OF_RECORD)
            grouped = (GROUPBY[0], GROUPBY[1].replace("COLUMN", column))
            _show("means alone by pandas", measure(address, campaign, tidy / f"{table}.csv", grouped))


def _report(
    what: str,
    address: str,
    campaign: str,
    folder: Path,
    ours: tuple[str, str],
    other: str,
    naive: tuple[str, str],
    elsewhere: Path | None = None,
) -> None:
    first = measure(address, campaign, folder, ours)
    second = measure(address, campaign, elsewhere or folder, naive)
    _show(what, first)
    ratios = f"{second.busy / first.busy:.1f} times the time, {second.megabytes / first.megabytes:.1f} times the memory"
    _show(f"  {other}", second, ratios)


def _show(what: str, found: Measured, more: str = "") -> None:
    told = f"{found.seconds:6.1f} s ({found.busy:5.1f} s of computing)  peak {found.megabytes:5} MB"
    print(f"    {what:24} {told}  {more}".rstrip(), flush=True)


def measure(address: str, campaign: str, folder: Path, what: tuple[str, str]) -> Measured:
    script = MEASURE.format(imports=what[0], work=what[1])
    made = subprocess.run(
        [sys.executable, "-c", script, address, campaign, str(folder)], check=True, capture_output=True, text=True
    )
    seconds, busy, megabytes = made.stdout.split()
    return Measured(float(seconds), float(busy), int(megabytes))


if __name__ == "__main__":
    main()
