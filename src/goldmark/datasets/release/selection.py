"""Which reading of a text goes into the dataset when several people read it.

Each rule gives a whole answer of somebody, or of the curators: span, type, correction and rationale of one error belong
together, and parts of several answers would say what nobody said.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args

from goldmark.datasets.sources.readings import Reading, ReadText, Rule
from goldmark.stats.token_overlap import token_f1

RULES: tuple[Rule, ...] = get_args(Rule)
MEANING: dict[Rule, str] = {
    "auto": "the curated list where there is one; else what a reviewer approved; else the only answer, or the vote",
    "gold": "curated lists only",
    "approved": "answers that a reviewer approved only; the vote among them where there are several",
    "vote": "erroneous or fine by majority, then the answer that agrees most with the others of that majority",
    "first": "the answer that came first",
    "all": "every answer, each as a row of its own; all rows of a text lie in the same split",
}


@dataclass(frozen=True, slots=True)
class SelectedReading:
    """A reading that goes into the dataset: on what grounds, and who agreed that the text is erroneous or fine."""

    reading: Reading
    basis: str  # gold, approved, only, vote, first, all
    annotators: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OmittedText:
    """A text that does not go into the dataset, and why."""

    why: str


def choose(text: ReadText, rule: Rule) -> list[SelectedReading] | OmittedText:
    """The reading or readings of a text that count."""
    people = text.readings
    if rule in ("auto", "gold") and text.gold is not None:
        return [SelectedReading(text.gold, "gold", tuple(one.annotator for one in people))]
    if rule == "gold":
        return OmittedText("no finished gold list")
    if rule in ("auto", "approved"):
        approved = [one for one in people if one.approved]
        if approved:
            return _vote(approved, "approved")
        if rule == "approved":
            return OmittedText("not approved by a reviewer")
    if not people:
        return OmittedText("nobody has answered")
    if rule == "first":
        return _one(people[0], "first", people[:1])
    if rule == "all":
        kept = [SelectedReading(one, "all", (one.annotator,)) for one in people if not one.discarded]
        return kept or OmittedText(f"discarded: {people[0].discarded}")
    return _vote(people, "vote")


def _one(reading: Reading, basis: str, people: Sequence[Reading]) -> list[SelectedReading] | OmittedText:
    if reading.discarded:
        return OmittedText(f"discarded: {reading.discarded}")
    return [SelectedReading(reading, basis, tuple(one.annotator for one in people))]


def _vote(people: Sequence[Reading], basis: str) -> list[SelectedReading] | OmittedText:
    """The verdict of more than half, and of those who gave it the answer nearest to all of theirs."""
    if len(people) == 1:
        return _one(people[0], "only" if basis == "vote" else basis, people)
    verdicts = Counter(one.discarded or ("erroneous" if one.erroneous else "fine") for one in people)
    (verdict, count), *_ = sorted(verdicts.items(), key=lambda item: (-item[1], item[0]))
    if 2 * count <= len(people):
        return OmittedText("no majority")
    side = [one for one in people if (one.discarded or ("erroneous" if one.erroneous else "fine")) == verdict]
    return _one(nearest(side), basis, side)


def nearest(readings: Sequence[Reading]) -> Reading:
    """The reading whose erroneous tokens have the highest mean F1 with those of the others; the first of equals."""
    marked = [tokens_of(one) for one in readings]

    def agreement(place: int) -> float:
        return sum(token_f1(marked[place], other) for other in marked)

    return readings[max(range(len(readings)), key=lambda place: (agreement(place), -place))]


def tokens_of(reading: Reading) -> frozenset[int]:
    return frozenset(token for error in reading.errors for token in range(error.start, error.end))
