"""Run a model on a task of a dataset, score its answers or those of a file, and put people's performance beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from goldmark.datasets.benchmark.human import people
from goldmark.datasets.benchmark.models.base import Tell, find_model
from goldmark.datasets.benchmark.predictions import read_predictions
from goldmark.datasets.benchmark.scores import Scores, score
from goldmark.datasets.benchmark.sealed import items_from
from goldmark.datasets.benchmark.tasks import TASKS, BenchmarkTask, TaskItem, find_task, items_of
from goldmark.datasets.release.loader import Dataset
from goldmark.errors import Conflict
from goldmark.records.tables import Cell, Table
from goldmark.results.options import with_interval

HUMAN = "human"
BASELINES = ("random", "linear")


class NothingToAnswer(Conflict):
    code = "BENCHMARK-04"
    message = "the split {split!r} of {dataset} has nothing for the task {task!r}; {remedy}"


@dataclass(frozen=True)
class BenchmarkResult:
    """A model on a task: its scores, its answers, and what people reach on the same split."""

    task: BenchmarkTask
    model: str
    split: str
    scores: Scores
    items: Sequence[TaskItem]
    answers: Sequence[Any]
    human: Scores | None
    seconds: float | None = None  # training and answering


def run(
    dataset: Dataset,
    task_name: str,
    model: str,
    *,
    seed: int,
    split: str = "test",
    leave_out: Sequence[str] = (),
    bertscore: str = "",
    tell: Tell = lambda said: None,
    **options: Any,
) -> BenchmarkResult:
    """Train a model on train, let it choose on dev, and score its answers to a split."""
    task = find_task(task_name, dataset.manifest.tasks, dataset.folder)
    items = _items(dataset, task, split, leave_out)
    train = _items(dataset, task, "train", leave_out)
    dev = items_of(task, dataset.rows("dev"), leave_out=leave_out) if split != "dev" else []
    rng = np.random.default_rng(seed)
    start = perf_counter()
    chosen = find_model(model, task, rng, **options)
    tell(f"{task.title}: {len(train):,} to learn from, {len(items):,} to answer")
    chosen.fit(train, dev, tell)
    answers = chosen.predict(items, tell)
    seconds = perf_counter() - start
    scores = score(task, items, answers, seed=seed, bertscore=bertscore)
    human = human_performance(dataset, task, split, leave_out=leave_out)
    return BenchmarkResult(task, model, split, scores, items, answers, human, seconds)


def answer(
    dataset: Dataset, task_name: str, model: str, *, seed: int, tell: Tell = lambda said: None, **options: Any
) -> tuple[BenchmarkTask, list[TaskItem], Sequence[Any]]:
    """A model's answers to the inputs of a sealed benchmark; only who has its key can score them."""
    task = find_task(task_name, dataset.manifest.tasks, dataset.folder)
    items = list(items_from(dataset.inputs(task_name) or ()))
    chosen = find_model(model, task, np.random.default_rng(seed), **options)
    chosen.fit(_items(dataset, task, "train", ()), items_of(task, dataset.rows("dev")), tell)
    return task, items, chosen.predict(items, tell)


def score_file(
    dataset: Dataset,
    task_name: str,
    path: Path,
    *,
    name: str = "",
    split: str = "test",
    leave_out: Sequence[str] = (),
    bertscore: str = "",
) -> BenchmarkResult:
    """Score answers that any program wrote."""
    task = find_task(task_name, dataset.manifest.tasks, dataset.folder)
    items = _items(dataset, task, split, leave_out)
    answers = read_predictions(task, items, path)
    scores = score(task, items, answers, bertscore=bertscore)
    human = human_performance(dataset, task, split, leave_out=leave_out)
    return BenchmarkResult(task, name or path.stem, split, scores, items, answers, human)


def human_performance(
    dataset: Dataset,
    task: BenchmarkTask,
    split: str,
    *,
    leave_out: Sequence[str] = (),
) -> Scores | None:
    """People's scores on the texts of a split that several of them read; None if there is no such text."""
    items, answers = people(task, dataset.rows(split), dataset.readings())
    kept = [(item, answer) for item, answer in zip(items, answers, strict=True) if item.gold not in leave_out]
    if not kept:
        return None
    return score(task, [item for item, _ in kept], [one for _, one in kept])


def table(results: Sequence[BenchmarkResult]) -> Table:
    """One row a figure and model, and people where they can be measured."""
    rows: list[dict[str, Cell]] = []
    for result in results:
        rows += _rows(result.task, result.model, result.scores)
    told: set[str] = set()
    for result in results:
        if result.human is not None and result.task.name not in told:
            told.add(result.task.name)
            rows += _rows(result.task, HUMAN, result.human)
    order = list(TASKS)
    rows.sort(key=lambda row: order.index(str(row["task"])))
    split = ", ".join(sorted({result.split for result in results}))
    signature = " ".join(dict.fromkeys(result.scores.signature for result in results))
    notes = [f"scored on {split}; 95 % intervals resample texts"]
    if told:
        notes.append(f"{HUMAN}: one person against another on the texts of {split} that several people read")
    return Table.of("Benchmark", rows, notes=tuple(notes), signature=signature)


def baselines(
    dataset: Dataset, *, seed: int, tasks: Sequence[str] = (), tell: Tell = lambda said: None
) -> tuple[Table, dict[str, float]]:
    """The two baselines beside each other by the main figure of every task, and how long `linear` took for each."""
    rows: list[dict[str, Cell]] = []
    taken: dict[str, float] = {}
    signatures: dict[str, None] = {}
    for name in tasks or dataset.manifest.tasks:
        row: dict[str, Cell] = {"task": name, "figure": TASKS[name].main}
        for model in BASELINES:
            tell(f"{name}: {model}")
            found = run(dataset, name, model, seed=seed)
            figure = found.scores.figures[TASKS[name].main]
            row |= with_interval(model, figure.value, figure.interval)
            signatures[found.scores.signature] = None
            taken[name] = found.seconds or 0.0
        rows.append(row)
    notes = ("scored on test; 95 % intervals over texts",)
    return Table.of("Baselines", rows, notes=notes, signature=" ".join(signatures)), taken


def _rows(task: BenchmarkTask, model: str, scores: Scores) -> list[dict[str, Cell]]:
    return [
        {
            "task": task.name,
            "model": model,
            "figure": name,
            **with_interval("value", figure.value, figure.interval),
            "texts": scores.texts,
            "items": scores.items,
            "reason": figure.reason,
        }
        for name, figure in scores.figures.items()
    ]


def _items(dataset: Dataset, task: BenchmarkTask, split: str, leave_out: Sequence[str]) -> list[TaskItem]:
    found = items_of(task, dataset.rows_for(task.name, split), leave_out=leave_out)
    if not found:
        remedy = "build the dataset with a larger share for it (--split)"
        raise NothingToAnswer(split=split, dataset=dataset.folder, task=task.name, remedy=remedy)
    return found
