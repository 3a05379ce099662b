"""Is anything slower than in an older version? The same statistics in both, in turns, by time of the processor.

    git worktree add ../older COMMIT
    python -m benchmarks.versions ../older/src              every case, three rounds
    python -m benchmarks.versions ../older/src --write      and put the table into the documentation

Every round starts a process for each version with that version's source on its path, and each case is run there until
it has taken a moment; the quickest of all runs counts, because whatever else the machine does can only add to it.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks import _version_cases

REPOSITORY = Path(__file__).resolve().parents[1]
PAGE = REPOSITORY / "docs" / "statistics" / "speed.md"
BEGIN, END = "<!-- versions -->", "<!-- end of versions -->"
ROUNDS = 3
SLOWER = 1.2  # as many times as long as before deserves a reason


def measured(source: Path, data: Path, only: Sequence[str]) -> dict[str, float]:
    """Seconds by case, in a process of its own."""
    around = {**os.environ, "PYTHONPATH": str(source), "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, str(Path(_version_cases.__file__)), str(data), *only]
    printed = subprocess.run(command, env=around, cwd=data, check=True, capture_output=True, text=True).stdout
    found: dict[str, float] = json.loads(printed)
    return found


def compared(before: Path, now: Path, rounds: int, only: Sequence[str]) -> dict[str, tuple[float, float]]:
    """By case the quickest run of each version."""
    best: dict[str, tuple[float, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder)
        _version_cases.make(data)
        for _ in range(rounds):
            older, newer = (measured(source, data, only) for source in (before, now))
            for name, seconds in older.items():
                known = best.get(name, (seconds, newer[name]))
                best[name] = min(known[0], seconds), min(known[1], newer[name])
    return best


def row(name: str, before: float, now: float) -> str:
    return f"| {name} | {before:.3f} | {now:.3f} | {now / before:.2f} |"


def main(arguments: Sequence[str] = ()) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.versions", description=__doc__)
    parser.add_argument("before", type=Path, nargs="?", help="the older version's folder src")
    parser.add_argument("--only", nargs="*", default=[], help="only cases whose name has one of these words")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--write", action="store_true", help="write the table into the documentation")
    given = parser.parse_args(arguments)
    if given.before is None:
        print("compares with an older version: python -m benchmarks.versions OLDER/src")
        return 0
    found = compared(given.before.resolve(), REPOSITORY / "src", given.rounds, given.only)
    lines = [row(name, *both) for name, both in found.items()]
    print("\n".join(lines))
    if given.write:
        head, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
        table = "\n".join(["| what | before, s | now, s | now / before |", "|---|---|---|---|", *lines])
        PAGE.write_text(f"{head}{BEGIN}\n{table}\n{END}{rest.partition(END)[2]}", encoding="utf-8")
    slower = [name for name, (before, now) in found.items() if now > SLOWER * before]
    print(f"{len(found)} cases, slower by more than a fifth: {', '.join(slower) or 'none'}", file=sys.stderr)
    return int(bool(slower))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
