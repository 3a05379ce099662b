"""Which rows of a tidy table of ratings count, the same for every command that reads one.

A campaign's `ratings.csv` has a row per label, with the columns `unit`, `item`, `system`, `annotator`, `question`,
`test`, `excluded` and `value` among others. Tables from elsewhere need only what an analysis asks for.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from goldmark.records.figures import counted
from goldmark.records.tidy.columns import Frame
from goldmark.records.tidy.kept import Keep, flags, holding, require_one
from goldmark.stats.inference.scales import Ends, told_ends

Mask = NDArray[np.bool_]
KINDS = frozenset({"person", "model", "checker"})
FLAGS = {"test": "test questions", "excluded": "of excluded annotators"}


class RatingRows(NamedTuple):
    """Which rows count, and what was left out."""

    judged: Mask  # of the wanted question, without test questions and excluded annotators
    kept: Mask  # those of them with the values that were asked for
    notes: tuple[str, ...]


def rating_rows(frame: Frame, keep: Keep, *, every_question: bool = False) -> RatingRows:
    """The rows that count. z-scores are made from the `judged` ones: all that tells how someone uses the scale.

    Test questions and excluded annotators are left out unless `keep` names their column. Ratings of several questions
    are not mixed, unless `every_question` says that they are told apart later.
    """
    notes: list[str] = []
    judged = np.ones(len(frame), dtype=bool)
    for column, what in FLAGS.items():
        flagged = np.array(() if column in keep else flags(frame, column) or (), dtype=bool)
        if flagged.any():
            gone = int((flagged & judged).sum())
            judged &= ~flagged
            notes.append(f"left out: {gone:,} of {counted(len(frame), 'judgement')}, {what}")
    if "question" in keep:
        judged &= np.array(holding(frame, "question", keep["question"]), dtype=bool)
    elif "question" in frame.cells and not every_question:
        asked = Frame(frame.source, {"question": frame.cells["question"]}).take(np.flatnonzero(judged).tolist())
        require_one(asked, "question", otherwise=", or take all together with --keep 'question=*'")
    wanted = np.ones(len(frame), dtype=bool)
    for column, values in keep.items():
        wanted &= np.array(holding(frame, column, values), dtype=bool)
    if not wanted.all():
        told = ", ".join(f"{column} = {' or '.join(values)}" for column, values in keep.items())
        notes.append(f"left out: {int((~wanted).sum()):,} of {counted(len(frame), 'judgement')}; kept only {told}")
    kinds = {cell.strip() for cell in frame.cells.get("kind", ())} & KINDS
    if len(kinds) > 1 and "kind" not in keep:
        notes.append(f"annotators of several kinds together: {', '.join(sorted(kinds))}; see --keep kind=person")
    if "weight" in frame.cells and {cell.strip() for cell in frame.cells["weight"]} - {"", "1", "1.0"}:
        notes.append("every judgement counts alike; the column weight is not used")
    return RatingRows(judged, judged & wanted, tuple(notes))


def score_column(frame: Frame, named: str = "") -> str:
    """The column of scores: the one that was named, else `score`, else `value`."""
    return named or ("value" if "score" not in frame.cells and "value" in frame.cells else "score")


def named_items(frame: Frame) -> Frame:
    """The same table, in which a row that names no item has its unit as its item."""
    units = frame.cells.get("unit")
    if units is None:
        return frame
    items = [item.strip() or unit for item, unit in zip(frame.cells.get("item", [""] * len(frame)), units, strict=True)]
    return replace(frame, cells={**frame.cells, "item": items})


def scale_ends(frame: Frame) -> Ends | None:
    """Between which numbers answers can lie, as the rows say; None if they do not say, as files from elsewhere do not.

    Answers to several versions of a question lie between the ends of all of them.
    """
    if not {"scale_low", "scale_high"} <= frame.cells.keys() or not len(frame):
        return None
    low, high = ({cell.strip() for cell in frame.coded(name).used()[1]} for name in ("scale_low", "scale_high"))
    return told_ends(
        None if "" in low else min(map(float, low)),
        None if "" in high else max(map(float, high)),
    )
