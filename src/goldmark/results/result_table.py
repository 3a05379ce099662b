"""What a table of results is: what it says, what it is made from, who published it, how it is drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from goldmark.protocols.answers import giving
from goldmark.records.answers import Choice, Comparison, Marks, Rating, Said
from goldmark.records.tables import Table
from goldmark.records.tidy.columns import Frame
from goldmark.results.inputs.table_inputs import TableInputs
from goldmark.results.options import AnalysisOptions
from goldmark.results.published.catalogue import Analysis
from goldmark.results.published.catalogue import find as find_analysis

Make = Callable[[TableInputs, AnalysisOptions], list[Table]]
OfFrame = Callable[[Frame, AnalysisOptions, str, Sequence[str]], Table]
Drawn = Literal["dots", "stacked", "heat", "matrix", "line", ""]
ANSWERS = ("ratings", "choices", "comparisons", "spans", "words")


class Needs(NamedTuple):
    """What a campaign must have for a table: why there is none of what is given (nothing: there is), and in words."""

    why_not: Callable[[TableInputs], str]
    words: str


def _asks(what: type[Said], none: str, words: str) -> Needs:
    """A protocol allows a table if one of its questions is answered so. Files speak for themselves."""

    def why_not(given: TableInputs) -> str:
        if given.protocol is None or giving(given.protocol, what):
            return ""
        return f"{given.protocol.id} asks for no {none}"

    return Needs(why_not, words)


NOTHING = Needs(lambda given: "", "")
RATED = _asks(Rating, "number and no scale", "that asks for numbers or scales")
CHOSEN = _asks(Choice, "choice of options", "that asks for choices")
MARKED = _asks(Marks, "marked passages", "that asks for marked passages")
COMPARED = _asks(Comparison, "comparison of texts", "that compares texts")


@dataclass(frozen=True)
class ResultTable:
    """One table, or a few that belong together: what they are made from, and how people would rather look at them."""

    name: str
    about: str
    page: str = ""  # of our documentation, under docs/statistics
    reads: tuple[str, ...] = ()  # tables of observations; without a row in any of them there is nothing to say
    make: Make | None = None  # None: only from files with columns of their own
    drawn: Drawn = ""
    source: str = ""  # which tables of which paper
    needs: Needs = NOTHING
    stored: bool = False  # whether it needs the campaign in its database
    analysis: Analysis | None = None  # the same from files with columns of their own
    same_as: str = ""  # another name of this table

    @property
    def campaigns(self) -> str:
        """Which campaigns have it, in words."""
        return f"campaign {self.needs.words}".rstrip()

    def missing(self, given: TableInputs) -> str:
        """Why this table cannot be made of what is given; nothing if it can."""
        if self.make is None:
            return "it is made of files with columns of their own; see `goldmark table list`"
        why = self.needs.why_not(given)
        if not why and self.reads and not any(len(given.frames[name]) for name in self.reads):
            why = f"there are no rows of {' or '.join(self.reads)} to make it of"
        return why


def from_observations(
    name: str, about: str, page: str, reads: str, make: OfFrame, needs: Needs, drawn: Drawn = "", source: str = ""
) -> ResultTable:
    """A table that is made from one table of observations; of marks, the gold list may stand in their place."""

    def made(given: TableInputs, settings: AnalysisOptions) -> list[Table]:
        frame = given.errors if reads == "spans" else given.frames[reads]
        return [make(frame, settings, given.by, given.order)]

    return ResultTable(name, about, page, (reads,), made, drawn, source, needs)


def published(name: str, make: Make | None, needs: Needs = NOTHING, reads: tuple[str, ...] = ()) -> ResultTable:
    """A table of a paper, from a campaign that allows it or from files with columns of its own."""
    own = find_analysis(name)
    stored = make is not None and not reads
    return ResultTable(name, own.about, name, reads, make, "", own.source, needs, stored, own)
