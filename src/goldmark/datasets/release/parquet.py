"""The rows of a dataset as Parquet: the same as its lines, typed."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

from goldmark.datasets.release.rows import arrow_schema
from goldmark.datasets.release.splits import SPLITS
from goldmark.texts.readers.sheets.parquet import write_frames

# A group of Parquet has at most so many rows and about so many bytes as lines, and a file at most so many groups: what
# a group holds is in memory while it is written, and what is known of each until its file is finished.
GROUP_ROWS, GROUP_BYTES, GROUPS = 10_000, 2_000_000, 200
# Bytes of lines from which on it is worth other processes. Polars keeps memory of its own, beside what building took,
# and gives it back when it ends.
APART = 50_000_000


def write_splits(folder: Path) -> None:
    """Every split of a dataset as Parquet, beside its lines."""
    from goldmark.jobs.fanout import WorkerPool  # here: the other processes need no database

    lines = [folder / "jsonl" / f"{split}.jsonl" for split in SPLITS]
    several = sum(one.stat().st_size for one in lines) > APART
    with WorkerPool(processes=2 if several else 1) as pool:
        for _ in pool.map(_beside_its_lines, lines):
            pass


def _beside_its_lines(lines: Path) -> None:
    write_parquet(lines, lines.parent.parent / "parquet" / f"{lines.stem}.parquet")


def write_parquet(lines: Path, target: Path) -> None:
    """One split, a group of its rows in memory at a time; very many as a folder of files, which is read alike."""
    import polars

    with lines.open("rb") as file:
        count = sum(1 for _ in file)
    # It shows in the bytes, so it depends on nothing but the rows.
    rows = max(1, min(GROUP_ROWS, count * GROUP_BYTES // max(1, lines.stat().st_size)))
    schema, groups = arrow_schema(), -(-count // rows)
    with lines.open("rb") as file:
        # Polars itself reads lines in pieces too, but keeps far more of them than it needs.
        pieces = iter(lambda: b"".join(islice(file, rows)), b"")
        frames = (polars.read_ndjson(some, schema=schema) for some in pieces)
        if groups <= GROUPS:
            write_frames(frames, schema, target, rows)
            return
        target.mkdir()
        for number in range(-(-groups // GROUPS)):
            write_frames(islice(frames, GROUPS), schema, target / f"{number:05}.parquet", rows)
