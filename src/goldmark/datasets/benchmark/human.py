"""How well people do: what one person answered, scored against another who read the same text.

Every ordered pair of people of a text counts once, so nobody is the truth. With two readers this is the agreement of
the two, in the same figures as a model's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import permutations
from typing import Any

from goldmark.datasets.benchmark.tasks import BenchmarkTask, TaskItem, spans_of
from goldmark.datasets.release.rows import corrected, corrected_tokens, words_with
from goldmark.datasets.sources.readings import MarkedError


def people(
    task: BenchmarkTask, rows: Iterable[Mapping[str, Any]], readings: Mapping[str, Sequence[Mapping[str, Any]]]
) -> tuple[list[TaskItem], list[Any]]:
    """Items with one person's answer as gold, and another's answers to them."""
    items: list[TaskItem] = []
    answers: list[Any] = []
    for row in rows:
        said = [one for one in readings.get(row["id"], ()) if not one["discarded"]]
        for number, (right, other) in enumerate(permutations(said, 2)):
            for item, answer in _pair(task, row, right, other):
                items.append(_renamed(item, number))
                answers.append(answer)
    return items, answers


def _renamed(item: TaskItem, number: int) -> TaskItem:
    """Two errors of two people may have the same id; the pair tells them apart. Texts stay what is resampled."""
    return replace(item, error=f"{item.error}/{number}")


def _pair(
    task: BenchmarkTask, row: Mapping[str, Any], right: Mapping[str, Any], other: Mapping[str, Any]
) -> Iterable[tuple[TaskItem, Any]]:
    as_gold = _as_row(row, right)
    if task.name == "detect":
        return [(item, other["erroneous"]) for item in task.items(as_gold)]
    if task.name == "spans":
        return [(item, spans_of(other["errors"])) for item in task.items(as_gold)] if other["errors"] else []
    if task.name == "correct":
        mine = _as_row(row, other)
        if not other["errors"] or mine["corrected"] is None:
            return []
        tokens = tuple(corrected_tokens(mine, words_with(row["tokeniser"])))
        return [(item, tokens) for item in task.items(as_gold)]
    key = "type" if task.name == "type" else "rationale"
    found = []
    for item in task.items(as_gold):
        meets = _meeting(item, other["errors"])
        if meets is not None and meets[key]:
            found.append((item, meets[key]))
    return found


def _meeting(item: TaskItem, errors: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """The other person's error that shares most tokens with this one; None if none shares any."""
    if item.span is None:
        return None
    start, end = item.span

    def shared(one: Mapping[str, Any]) -> int:
        return max(0, min(end, int(one["end"])) - max(start, int(one["start"])))

    best = max(errors, key=shared, default=None)
    return best if best is not None and shared(best) else None


def _as_row(row: Mapping[str, Any], reading: Mapping[str, Any]) -> dict[str, Any]:
    """The row as if this person's answer had been chosen for it."""
    places = [(start, start + len(token)) for start, token in zip(row["starts"], row["tokens"], strict=True)]
    marks = [
        MarkedError(one["id"], one["start"], one["end"], correction=one["correction"]) for one in reading["errors"]
    ]
    return {
        **row,
        "erroneous": reading["erroneous"],
        "errors": reading["errors"],
        "corrected": corrected(row["text"], places, marks),
    }
