"""Rows of observations parted into groups that are compared: systems, conditions, people, or any hidden fact."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from numpy.typing import ArrayLike

from goldmark.errors import GoldmarkError
from goldmark.records.columns import Frame
from goldmark.stats.ranks.judgements import Judgements

EVERYTHING = "all"  # the one group where rows do not say to which they belong


class NoSuchGroup(GoldmarkError):
    code = "RESULTS-01"
    message = "there is no column {by!r} to compare by; there are {known}"


@dataclass(frozen=True)
class Rows:
    """One question's rows: who is compared, on what, by whom. Lists of equal length."""

    group: Sequence[str]
    item: Sequence[str]
    unit: Sequence[str]
    annotator: Sequence[str]
    frame: Frame

    def __len__(self) -> int:
        return len(self.group)

    def judged(self, scores: ArrayLike) -> Judgements:
        """One number for each row. Where nobody is named, as in a gold list, nobody is known to have judged."""
        return Judgements.of(self.group, self.item, self.annotator if any(self.annotator) else None, scores)


def questions(frame: Frame, order: Sequence[str] = ()) -> list[str]:
    """The questions that a table has answers to: in the order of the protocol, or else of the rows."""
    found = dict.fromkeys(frame.cells.get("question", ()))
    return [*(name for name in order if name in found), *(name for name in found if name not in order)]


def rows_of(frame: Frame, question: str, by: str = "system") -> Rows:
    """The rows of one question, parted by a column. An item that is not named is the unit itself."""
    if by not in frame.cells:
        raise NoSuchGroup(by=by, known=", ".join(frame.cells))
    cells: Mapping[str, Sequence[str]] = frame.cells
    places = [place for place, name in enumerate(cells["question"]) if name == question]
    own = cells
    if len(places) < len(frame):  # otherwise nothing has to be copied
        own = {name: [column[place] for place in places] for name, column in cells.items()}
    return Rows(
        [group or EVERYTHING for group in own[by]],
        [item or unit for item, unit in zip(own["item"], own["unit"], strict=True)],
        own["unit"],
        own["annotator"],
        Frame(frame.source, own),
    )
