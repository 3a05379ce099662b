"""A dataset on disk, read again: its facts, the rows of a split, and what people said who read the same text."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from goldmark.datasets.release.build import READINGS
from goldmark.datasets.release.description.statistics import Statistics
from goldmark.datasets.release.manifest import Manifest, NoDataset, read_manifest
from goldmark.datasets.release.splits import SPLITS

INPUTS = "inputs"  # of a sealed benchmark: what its test gives models, by task
ASKED = "asked.json"  # of its key: which texts each task asks about


class Dataset:
    """A folder that `goldmark dataset` made."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.manifest: Manifest = read_manifest(folder)

    def rows(self, split: str) -> Iterator[dict[str, Any]]:
        """The rows of train, dev or test, one at a time."""
        yield from _lines(self.folder / "jsonl" / f"{split}.jsonl")

    def rows_for(self, task: str, split: str) -> Iterator[dict[str, Any]]:
        """The rows that a task is asked of: all, but in the key of a sealed benchmark those of its own."""
        path = self.folder / ASKED
        if not path.is_file():
            yield from self.rows(split)
            return
        asked = set(orjson.loads(path.read_bytes()).get(task, ()))
        yield from (row for row in self.rows(split) if row["id"] in asked)

    def inputs(self, task: str) -> list[dict[str, Any]] | None:
        """What a sealed benchmark asks in a task, without the answers; None if the dataset has its answers."""
        path = self.folder / INPUTS / f"{task}.jsonl"
        return list(_lines(path)) if path.is_file() else None

    def readings(self) -> dict[str, list[dict[str, Any]]]:
        """Everybody's answers to texts that several people read, by the text's id."""
        found: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for row in _lines(self.folder / READINGS):
            found[row["id"]].append(row)
        return found

    def statistics(self) -> Statistics:
        """What is in it, counted."""
        counted = Statistics()
        for split in SPLITS:
            for row in self.rows(split):
                counted.add(row, split)
        return counted


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    try:
        with path.open("rb") as file:
            for line in file:
                yield orjson.loads(line)
    except (OSError, ValueError) as error:
        raise NoDataset(path=path.parent, reason=f"{path.name} cannot be read ({error})") from error
