"""Every table of results by name: what it reads, what it says, how it is drawn.

A table is a function of frames of observations, so that it is the same to the last digit whether the frames came from
the database, from exported files or from a notebook. Adding a table means writing its function and one entry here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from goldmark.analysis.settings import Settings
from goldmark.errors import GoldmarkError, Kind
from goldmark.records.columns import Frame
from goldmark.records.tables import Table
from goldmark.results import agreement, comparisons, errors, people, ratings

Frames = Mapping[str, Frame]
Make = Callable[[Frames, Settings, str, Sequence[str]], Table]
Drawn = Literal["dots", "stacked", "heat", "matrix", "line", ""]


@dataclass(frozen=True)
class ResultTable:
    """One table: which observations it needs, and how people would rather look at it."""

    name: str
    about: str
    reads: tuple[str, ...]  # tables of observations; without a row in the first there is nothing to say
    make: Make
    drawn: Drawn = ""


class UnknownResult(GoldmarkError):
    code = "RESULTS-02"
    kind = Kind.MISSING
    message = "there is no table {name!r}; there are {known}"


def _coverage(frames: Frames, settings: Settings, by: str, order: Sequence[str]) -> Table:
    return people.coverage(frames, settings, by)


def _agreement(frames: Frames, settings: Settings, by: str, order: Sequence[str]) -> Table:
    return agreement.agreement(frames, settings, order)


def _agreement_pairs(frames: Frames, settings: Settings, by: str, order: Sequence[str]) -> Table:
    return agreement.agreement_pairs(frames, settings, order)


def _people(frames: Frames, settings: Settings, by: str, order: Sequence[str]) -> Table:
    return people.people(frames, settings)


def _progress(frames: Frames, settings: Settings, by: str, order: Sequence[str]) -> Table:
    return people.progress(frames, settings)


ANSWERS = ("ratings", "choices", "comparisons", "spans", "words")


def _one(
    name: str,
    about: str,
    reads: str,
    make: Callable[[Frame, Settings, str, Sequence[str]], Table],
    drawn: Drawn = "",
) -> ResultTable:
    """A table that is made from one table of observations."""
    return ResultTable(name, about, (reads,), lambda f, settings, by, order: make(f[reads], settings, by, order), drawn)


def _all(name: str, about: str, make: Make, drawn: Drawn = "") -> ResultTable:
    """A table that is made from everything that people answered."""
    return ResultTable(name, about, ("people", *ANSWERS), make, drawn)


RESULTS: tuple[ResultTable, ...] = (
    ResultTable("coverage", "Texts, and how many answers they have.", ("texts",), _coverage),
    _one("ratings", "The mean of every rating, with interval and rank.", "ratings", ratings.ratings, "dots"),
    _one("distribution", "How often each answer of a scale was given.", "ratings", ratings.distribution, "stacked"),
    _one("differences", "Every two systems compared by their ratings.", "ratings", ratings.differences, "dots"),
    _one("choices", "The share of each option.", "choices", ratings.choices, "stacked"),
    _one("errors", "Errors per text, in all and by category.", "spans", errors.errors, "heat"),
    _one("severities", "Errors per text by severity.", "spans", errors.severities, "heat"),
    _one("weighted-errors", "The weights of a text's errors, added up.", "spans", errors.weighted_errors, "dots"),
    _one("texts-with-errors", "The share of texts with an error.", "spans", errors.texts_with_errors, "dots"),
    _one(
        "error-differences", "Every two systems compared by errors per text.", "spans", errors.error_differences, "dots"
    ),
    _one("win-rates", "How often each system was preferred.", "comparisons", comparisons.win_rates, "dots"),
    _one("comparison-pairs", "Every two systems that were compared.", "comparisons", comparisons.comparison_pairs),
    _one(
        "order-effect",
        "Whether the text shown first is preferred.",
        "comparisons",
        comparisons.order_effect,
        "dots",
    ),
    _all("agreement", "How far annotators agree, for every question.", _agreement, "dots"),
    _all("agreement-pairs", "How far every two annotators agree.", _agreement_pairs, "matrix"),
    _all("people", "Who took part: how much, how fast, how far they agree.", _people),
    _all("progress", "Answers by day.", _progress, "line"),
)
BY_NAME: Mapping[str, ResultTable] = {one.name: one for one in RESULTS}


def find(name: str) -> ResultTable:
    if name not in BY_NAME:
        raise UnknownResult(name=name, known=", ".join(BY_NAME))
    return BY_NAME[name]
