"""People's scores beside metrics' scores: a campaign's ratings joined to a table of outputs.

The human score of an output is the mean over its labels. Outputs are known by `unit`, or by `item` and `system`, which
is what `goldmark metrics compute --segments` writes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from goldmark.errors import GoldmarkError, Problem, ProblemsFound
from goldmark.records.figures import counted
from goldmark.records.tidy.columns import Column, Columns, Frame
from goldmark.records.tidy.kept import listed
from goldmark.results.inputs.files.rating_rows import rating_rows, score_column
from goldmark.stats.ranks.judgements import Judgements

HUMAN = "human"
MOST_NAMED = 5
Key = tuple[str, ...]


class KeysDoNotMatch(GoldmarkError):
    code = "METRIC-02"
    message = (
        "none of the {judged} judged outputs of {ratings} is among the {scored} of {scores}; both are known by {by}: "
        "{ratings} has {first}, {scores} has {second}"
    )


class NoCommonKey(GoldmarkError):
    code = "METRIC-03"
    message = (
        "outputs are matched by unit, or by item and system: {scores} has {scored}, {ratings} has {judged}{remedy}"
    )


class NoRatings(GoldmarkError):
    code = "METRIC-04"
    message = "{source} leaves no ratings to compare metrics with: {why}"


class JoinedScores(NamedTuple):
    """A table of outputs with a column `human`, and what found no partner."""

    frame: Frame
    notes: tuple[str, ...]


def with_human_scores(
    scores: Frame,
    ratings: Frame,
    *,
    keep: Mapping[str, Sequence[str]] | None = None,
    human: str = "",
    names: Mapping[str, str] | None = None,
) -> JoinedScores:
    """The rows of `scores` that people judged, with the mean of their labels in a column `human`.

    `keep` picks rows of the ratings, `human` names their column of scores, `names` says how the table of metric scores
    calls `unit`, `item` and `system`.
    """
    if HUMAN in scores.cells:
        what = f"there is a column {HUMAN!r} already"
        remedy = "rename it, or leave the ratings out"
        raise ProblemsFound([Problem(scores.source, what, remedy, HUMAN)], consequence="nothing was computed")
    called = {name: (names or {}).get(name) or name for name in ("unit", "item", "system")}
    rows = rating_rows(ratings, keep or {})
    score = score_column(ratings, human)
    checked = Columns(Column(score, "number", empty=True)).check(ratings)
    value = np.array([np.nan if one is None else one for one in checked.numbers(score)], dtype=np.float64)
    value[~rows.kept] = np.nan
    counting = np.flatnonzero(~np.isnan(value)).tolist()
    if not counting:
        why = "; ".join((*rows.notes, f"its column {score!r} holds no number"))
        raise NoRatings(source=ratings.source, why=why)
    by = _key(scores, ratings, counting, called)
    judged = _means(ratings, counting, value, by)
    keys = list(zip(*(_cells(scores, called[name]) for name in by), strict=True))
    _refuse_doubles(scores, keys, by)
    kept = [row for row, key in enumerate(keys) if key in judged]
    if not kept:
        raise KeysDoNotMatch(
            ratings=ratings.source,
            scores=scores.source,
            judged=len(judged),
            scored=len(keys),
            by=" and ".join(by),
            first=_some(judged),
            second=_some(keys),
        )
    cells = {name: [column[row] for row in kept] for name, column in scores.cells.items()}
    about = _about(ratings, counting, by)
    for place, name in enumerate(about.names):
        if not any(cell.strip() for cell in cells.get(called[name], ())):
            cells[called[name]] = [about.of[keys[row]][place] for row in kept]
    cells[HUMAN] = [repr(judged[keys[row]]) for row in kept]
    lines = [scores.lines[row] for row in kept] if len(scores.lines) else ()
    return JoinedScores(Frame(scores.source, cells, lines), (*rows.notes, *_unmatched(judged, keys, ratings, scores)))


def _cells(frame: Frame, column: str) -> list[str]:
    return [cell.strip() for cell in frame.cells.get(column, ())]


def _key(scores: Frame, ratings: Frame, counting: Sequence[int], called: Mapping[str, str]) -> tuple[str, ...]:
    """By which columns outputs are known in both tables."""
    both = [
        name
        for name in ("unit", "item", "system")
        if any(_cells(scores, called[name])) and any(cell.strip() for cell in ratings.cells.get(name, ()))
    ]
    if "unit" in both:
        return ("unit",)
    if "item" in both and "system" in both:
        return ("item", "system")
    remedy = ""
    if "item" in both:
        systems = {ratings.cells["system"][row].strip() for row in counting} if "system" in ratings.cells else set()
        if len(systems) < 2:
            return ("item",)  # one system's outputs, which needs no name
        remedy = f"; the ratings are of {len(systems)} systems, so metric scores must say whose they are"
    raise NoCommonKey(
        scores=scores.source,
        ratings=ratings.source,
        scored=", ".join(scores.cells) or "nothing",
        judged=", ".join(ratings.cells) or "nothing",
        remedy=remedy,
    )


def _means(ratings: Frame, counting: Sequence[int], value: np.ndarray, by: Sequence[str]) -> dict[Key, float]:
    """The mean label of each output, computed as rankings compute it."""
    columns = [_cells(ratings, name) for name in by]
    people = _cells(ratings, "annotator")
    judged = Judgements.of(
        [columns[1][row] if len(by) > 1 else "" for row in counting],
        [columns[0][row] for row in counting],
        [people[row] for row in counting] if people else None,
        value[list(counting)],
    )
    means = judged.item_means()
    found: dict[Key, float] = {}
    for system, item in zip(*np.nonzero(~np.isnan(means)), strict=True):
        name = judged.items[item]
        found[(name, judged.systems[system]) if len(by) > 1 else (name,)] = float(means[system, item])
    return found


class _About(NamedTuple):
    names: tuple[str, ...]
    of: dict[Key, tuple[str, ...]]


def _about(ratings: Frame, counting: Sequence[int], by: Sequence[str]) -> _About:
    """The item and system of each judged output, where the ratings say them and the key does not."""
    names = [name for name in ("item", "system") if name not in by and any(_cells(ratings, name))]
    keys = [_cells(ratings, name) for name in by]
    told = [_cells(ratings, name) for name in names]
    return _About(tuple(names), {tuple(one[row] for one in keys): tuple(one[row] for one in told) for row in counting})


def _refuse_doubles(scores: Frame, keys: Sequence[Key], by: Sequence[str]) -> None:
    seen: dict[Key, int] = {}
    problems = []
    for row, key in enumerate(keys):
        first = seen.setdefault(key, row)
        if first != row:
            what = f"{_named(key)} was there already, at {scores.where(first)}"
            problems.append(Problem(scores.where(row), what, "one row for each output is needed", by[0]))
    if problems:
        raise ProblemsFound(problems, consequence="nothing was computed")


def _unmatched(judged: Mapping[Key, float], keys: Sequence[Key], ratings: Frame, scores: Frame) -> list[str]:
    scored = set(keys)
    matched = sum(key in scored for key in judged)
    notes = [f"matched: {matched:,} of {counted(len(judged), 'judged output')}"]
    for missing, words in (
        ([key for key in judged if key not in scored], f"judged in {ratings.source}, not in {scores.source}"),
        ([key for key in keys if key not in judged], f"in {scores.source}, judged by nobody"),
    ):
        if missing:
            notes.append(f"left out: {counted(len(missing), 'output')} {words}: {_some(missing)}")
    return notes


def _some(keys: Iterable[Key]) -> str:
    return listed([_named(key) for key in keys], MOST_NAMED) or "none"


def _named(key: Key) -> str:
    return " of ".join(repr(part) for part in key)
