"""Answers that were made elsewhere, for a campaign that has its units: what a reader gives, and what it may see."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from goldmark.errors import GoldmarkError, Missing, Problem
from goldmark.exchange.campaign.archive import Files
from goldmark.exchange.responses.renamed import Renamed
from goldmark.protocols import Protocol
from goldmark.protocols.answers import marking
from goldmark.protocols.kinds.spans import SpansQuestion
from goldmark.records.texts import Text
from goldmark.records.units import ShownUnit

Counted = Literal["token", "character"]


class WhichSpans(GoldmarkError):
    code = "EXCHANGE-61"
    message = "the marks of this file could be answers to {known}; name the question with --question"


class NoSpansQuestion(Missing):
    code = "EXCHANGE-62"
    message = "{protocol} has no question {wanted} whose answer is marked passages; those that it has: {known}"


@dataclass(frozen=True)
class GivenAnswers:
    """What one person answered to one unit, as a file has it, and where it stands there."""

    where: str
    unit: str
    annotator: str
    answers: Mapping[str, Any]
    seconds: float | None = None
    time: datetime | None = None
    marks: Mapping[str, str] = field(default_factory=dict)  # where single marks stand, by their id
    widened: int = 0  # marks that cover whole tokens now, of which they covered a part
    kind: str = ""  # of the annotator: person, model or checker; nothing where the file does not say


@dataclass(frozen=True)
class Target:
    """The campaign that answers are for: what it asks, and its units.

    `question` is the one that marks go to where a format has no name for it. `leave_out` names columns and attributes
    that are to be ignored. `counted` is what the positions of marks count, if it is not what the question counts.
    """

    protocol: Protocol
    units: Mapping[str, ShownUnit]
    question: str | None = None
    leave_out: frozenset[str] = frozenset()
    counted: Counted | None = None
    text: str | None = None  # the field that holds the text, where a format has fields of any name
    renamed: Renamed = field(default_factory=Renamed)

    def spans_question(self) -> SpansQuestion:
        """The question that was named, or the only one about marked passages."""
        known = {one.id: one for one in marking(self.protocol)}
        if self.question in known:
            return known[self.question]
        if self.question is not None or not known:
            listed = ", ".join(known) or "none"
            raise NoSpansQuestion(protocol=self.protocol.id, wanted=self.question or "", known=listed)
        if len(known) > 1:
            raise WhichSpans(known=", ".join(known))
        return next(iter(known.values()))

    def unit_named(self, name: str) -> str | None:
        """The unit of this name; other tools call a unit after its file, with the ending or without."""
        return next((one for one in (name, name.removesuffix(".txt"), f"{name}.txt") if one in self.units), None)

    def text_of(self, unit: str, question: SpansQuestion) -> Text | None:
        """The text of a unit that a question marks."""
        shown = self.units[unit].texts.get(question.of or self.protocol.texts[0])
        return None if shown is None else shown.text


# A reader appends what is wrong with a file to the list, with file and line, and goes on.
ReadAnswers = Callable[[Files, Target, list[Problem]], list[GivenAnswers]]


def unknown_unit(where: str, name: str, units: Mapping[str, ShownUnit]) -> Problem:
    from difflib import get_close_matches

    close = get_close_matches(name, units, n=1)
    known = f"did you mean {close[0]!r}?" if close else f"it has {len(units)}, such as {next(iter(units), 'none')!r}"
    return Problem(where, f"unit {name!r} is not in this campaign", known, "unit")
