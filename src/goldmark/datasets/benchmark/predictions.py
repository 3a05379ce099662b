"""Answers of a model as a file: JSONL with the text's id, the error's id where errors are asked about, the answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import orjson

from goldmark.datasets.benchmark.tasks import BenchmarkTask, TaskItem
from goldmark.errors import Problem, ProblemsFound
from goldmark.texts.readers.json_objects import json_objects

MOST = 50


def write_predictions(task: BenchmarkTask, items: Sequence[TaskItem], answers: Sequence[Any]) -> Iterator[bytes]:
    """The lines of a file of predictions, in the order of the items."""
    for item, answer in zip(items, answers, strict=True):
        error = {"error": item.error} if task.per_error else {}
        yield orjson.dumps({"id": item.text_id, **error, **task.write(answer)}, option=orjson.OPT_APPEND_NEWLINE)


def read_predictions(task: BenchmarkTask, items: Sequence[TaskItem], path: Path) -> list[Any]:
    """An answer for every item, or `ProblemsFound` with everything that is wrong with the file."""
    problems: list[Problem] = []
    wanted = {item.key: item for item in items}
    answers: dict[tuple[str, str], Any] = {}
    seen: dict[tuple[str, str], str] = {}
    for where, row in _rows(path, problems):
        key = (str(row.get("id", "")), str(row.get("error", "")) if task.per_error else "")
        if key in seen:
            problems.append(Problem(where, f"{_name(key)} was already answered at {seen[key]}"))
        elif key not in wanted:
            problems.append(Problem(where, f"{_name(key)} is not asked in this split", "leave it out"))
        else:
            try:
                answers[key] = task.read(row, wanted[key])
            except ValueError as error:
                problems.append(Problem(where, str(error)))
        seen[key] = where
        if len(problems) >= MOST:
            break
    missing = [key for key in wanted if key not in seen]
    if missing and len(problems) < MOST:
        some = ", ".join(_name(key) for key in missing[:3])
        what = f"{len(missing)} of {len(wanted)} answers are missing: {some}{', ...' if len(missing) > 3 else ''}"
        problems.append(Problem(path.name, what, "answer every item"))
    if problems:
        raise ProblemsFound(problems, consequence="nothing was scored")
    return [answers[item.key] for item in items]


def _name(key: tuple[str, str]) -> str:
    return f"text {key[0]!r}" + (f", error {key[1]!r}" if key[1] else "")


def _rows(path: Path, problems: list[Problem]) -> Iterator[tuple[str, dict[str, Any]]]:
    try:
        content = path.read_bytes()
    except OSError as error:
        problems.append(Problem(str(path), f"it cannot be read ({error.strerror})"))
        return
    yield from json_objects(path.name, content, problems)
