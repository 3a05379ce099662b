"""Rows of observations parted into groups that are compared: systems, conditions, people, or any hidden fact."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from goldmark.errors import GoldmarkError
from goldmark.records.tidy.coded import Coded
from goldmark.records.tidy.columns import Frame
from goldmark.stats.ranks.judgements import Judgements

EVERYTHING = "all"  # the one group where rows do not say to which they belong


class NoSuchGroup(GoldmarkError):
    code = "RESULTS-01"
    message = "there is no column {by!r} to compare by; there are {known}"


@dataclass(frozen=True)
class Rows:
    """One question's rows: who is compared, on what, by whom. Columns of equal length."""

    group: Coded
    item: Coded
    unit: Coded
    annotator: Coded
    frame: Frame

    @classmethod
    def of(cls, frame: Frame, by: str) -> Rows:
        """All rows of a table, parted by a column. An item that is not named is the unit itself."""
        item, unit = frame.coded("item"), frame.coded("unit")
        if "" in item:
            item = Coded.of([item or unit for item, unit in zip(item, unit, strict=True)])
        group = frame.coded(by).mapped(lambda group: group or EVERYTHING)
        return cls(group, item, unit, frame.coded("annotator"), frame)

    def __len__(self) -> int:
        return len(self.group)

    def judged(self, scores: ArrayLike) -> Judgements:
        """One number for each row. Where nobody is named, as in a gold list, nobody is known to have judged."""
        return Judgements.of(self.group, self.item, self.annotator if any(self.people()) else None, scores)

    def people(self) -> list[str]:
        """Everybody who answered, each once."""
        return self.annotator.used()[1]

    def take(self, places: NDArray[np.int64]) -> Rows:
        """Only these rows."""
        group, item, unit, annotator = (
            column.take(places) for column in (self.group, self.item, self.unit, self.annotator)
        )
        return Rows(group, item, unit, annotator, self.frame.take(places))


def questions(frame: Frame, order: Sequence[str] = ()) -> list[str]:
    """The questions that a table has answers to: in the order of the protocol, or else of the rows."""
    found = frame.coded("question").used()[1] if "question" in frame.cells else []
    return [*(name for name in order if name in found), *(name for name in found if name not in order)]


def rows_of(frame: Frame, question: str, by: str = "system") -> Rows:
    """The rows of one question, parted by a column."""
    if by not in frame.cells:
        raise NoSuchGroup(by=by, known=", ".join(frame.cells))
    own = frame.coded("question").equal(question)
    return Rows.of(frame if own.all() else frame.take(np.flatnonzero(own)), by)
