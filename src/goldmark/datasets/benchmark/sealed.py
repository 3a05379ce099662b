"""A benchmark whose answers stay with its owner: a folder for everybody, and a key with which answers are scored.

The public folder has train and dev whole, and of the test only what a task gives a model. Each test text is asked in
one task alone: that a text stands among those to correct says that it is erroneous, and the span that is to be named
says where. Test texts get new names, because their own may say which system wrote them. The key holds the answers.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from goldmark.datasets.benchmark.tasks import TASKS, BenchmarkTask, TaskItem, find_task
from goldmark.datasets.release.build import READINGS, describe, line_of, write_sums
from goldmark.datasets.release.description.statistics import Statistics
from goldmark.datasets.release.loader import ASKED, INPUTS, Dataset
from goldmark.datasets.release.manifest import Manifest
from goldmark.datasets.release.parquet import write_splits
from goldmark.datasets.release.splits import SPLITS, rank
from goldmark.errors import Conflict
from goldmark.exchange.campaign.archive import TargetInUse
from goldmark.texts.readers.sheets.parquet import need_polars

OPEN = ("train", "dev")
NOTE = (
    "The test texts are here without their answers, in `inputs/`, one file for each task; no text is asked in two "
    "tasks. Whoever made the dataset scores what you send them."
)


class NothingToSeal(Conflict):
    code = "BENCHMARK-05"
    message = (
        "the test split of {dataset} has nothing for the task {task!r} once its texts are dealt to {tasks}; {remedy}"
    )


class SealedBenchmark(NamedTuple):
    """What was written: how many items each task asks."""

    public: Manifest
    items: dict[str, int]


def seal(dataset: Dataset, public: Path, key: Path, tasks: Sequence[str] = ()) -> SealedBenchmark:
    """Write both folders, new or empty. Without tasks, for all that the dataset allows."""
    for path in (public, key):
        if path.exists() and (not path.is_dir() or any(path.iterdir())):
            raise TargetInUse(path=path)
    chosen = [find_task(name, dataset.manifest.tasks, dataset.folder) for name in tasks or dataset.manifest.tasks]
    rows = _renamed(dataset)
    asked = dealt(rows, [task.name for task in chosen], dataset.manifest.seed)
    items = {task.name: list(_items(task, rows, asked[task.name])) for task in chosen}
    for name, found in items.items():
        if not found:
            names, remedy = ", ".join(items), "build it with a larger share for test (--split), or choose fewer tasks"
            raise NothingToSeal(dataset=dataset.folder, task=name, tasks=names, remedy=remedy)
    with tempfile.TemporaryDirectory(dir=public.parent) as work:
        manifest = _write_public(dataset, Path(work) / "public", items)
        _write_key(dataset, Path(work) / "key", rows, asked)
        for made, target in (("public", public), ("key", key)):
            if target.exists():
                target.rmdir()
            shutil.move(Path(work) / made, target)
    return SealedBenchmark(manifest, {name: len(found) for name, found in items.items()})


def dealt(rows: Sequence[dict[str, Any]], tasks: Sequence[str], seed: int) -> dict[str, list[str]]:
    """The texts of each task. Texts about one item go together, and `detect` keeps the share of erroneous texts."""
    asked: dict[str, list[str]] = {task: [] for task in tasks}
    for erroneous in (True, False):
        together: dict[str, list[str]] = {}
        for row in rows:
            if row["erroneous"] is erroneous:
                together.setdefault(row["item"] or row["id"], []).append(row["id"])
        for number, item in enumerate(sorted(together, key=lambda one: rank(seed, f"task {one}"))):
            task = tasks[number % len(tasks)]
            if erroneous or task == "detect":  # only there is a text without errors asked for
                asked[task] += together[item]
    return asked


def input_of(item: TaskItem) -> dict[str, Any]:
    """What a model is given: everything of an item but its answer."""
    return {
        "id": item.text_id,
        **({"error": item.error, "span": list(item.span)} if item.span is not None else {}),
        "text": item.text,
        "tokens": list(item.tokens),
        "tokeniser": item.tokeniser,
        "language": item.language,
    }


def items_from(inputs: Iterable[dict[str, Any]]) -> Iterator[TaskItem]:
    """Items without answers, from such a file."""
    for one in inputs:
        yield TaskItem(
            text_id=one["id"],
            error=one.get("error", ""),
            text=one["text"],
            tokens=tuple(one["tokens"]),
            tokeniser=one["tokeniser"],
            language=one["language"],
            gold=None,
            span=tuple(one["span"]) if "span" in one else None,
        )


def _renamed(dataset: Dataset) -> list[dict[str, Any]]:
    """The test rows under names that say nothing, in an order that says nothing."""
    rows = sorted(dataset.rows("test"), key=lambda row: rank(dataset.manifest.seed, f"name {row['id']}"))
    width = max(4, len(str(len(rows))))
    return [{**row, "id": f"test-{number:0{width}}"} for number, row in enumerate(rows, start=1)]


def _items(task: BenchmarkTask, rows: Sequence[dict[str, Any]], asked: Sequence[str]) -> Iterator[TaskItem]:
    wanted = set(asked)
    for row in rows:
        if row["id"] in wanted:
            yield from task.items(row)


def _write_public(dataset: Dataset, folder: Path, items: dict[str, list[TaskItem]]) -> Manifest:
    counted, kept = Statistics(), set()
    _empty_splits(folder)
    for split in OPEN:
        with (folder / "jsonl" / f"{split}.jsonl").open("wb") as file:
            for row in dataset.rows(split):
                counted.add(row, split)
                kept.add(row["id"].partition("#")[0])
                file.write(line_of(row))
    (folder / INPUTS).mkdir()
    for name, found in items.items():
        (folder / INPUTS / f"{name}.jsonl").write_bytes(b"".join(line_of(input_of(item)) for item in found))
    readings = (row for name, some in dataset.readings().items() if name in kept for row in some)
    (folder / READINGS).write_bytes(b"".join(map(line_of, readings)))
    manifest = replace(
        dataset.manifest,
        texts={**{split: dataset.manifest.texts[split] for split in OPEN}, "test": 0},
        erroneous=counted.erroneous,
        tokens=counted.tokens,
        errors=counted.errors,
        tasks=tuple(name for name in TASKS if name in items),
        read_twice=0,
    )
    _finish(folder, manifest, counted, (dataset.folder / "LICENSE").read_text(encoding="utf-8"), NOTE)
    return manifest


def _write_key(dataset: Dataset, folder: Path, rows: Sequence[dict[str, Any]], asked: dict[str, list[str]]) -> None:
    counted = Statistics()
    _empty_splits(folder)
    for row in rows:
        counted.add(row, "test")
    (folder / "jsonl" / "test.jsonl").write_bytes(b"".join(map(line_of, rows)))
    (folder / READINGS).write_bytes(b"")
    (folder / ASKED).write_bytes(orjson.dumps(asked, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
    manifest = replace(
        dataset.manifest,
        texts={**dict.fromkeys(OPEN, 0), "test": len(rows)},
        erroneous=counted.erroneous,
        tokens=counted.tokens,
        errors=counted.errors,
        tasks=tuple(name for name in TASKS if name in asked),
        read_twice=0,
    )
    licence = (dataset.folder / "LICENSE").read_text(encoding="utf-8")
    _finish(folder, manifest, counted, licence, "**The key of a benchmark: keep it to yourself.**")


def _empty_splits(folder: Path) -> None:
    need_polars("a dataset is also written as Parquet, which needs")
    (folder / "jsonl").mkdir(parents=True)
    (folder / "parquet").mkdir()
    for split in SPLITS:
        (folder / "jsonl" / f"{split}.jsonl").touch()


def _finish(folder: Path, manifest: Manifest, counted: Statistics, licence: str, note: str) -> None:
    write_splits(folder)
    describe(folder, manifest, counted, None, licence=licence, method="", note=note)
    write_sums(folder)
