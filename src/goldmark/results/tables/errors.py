"""Marked errors: how many in a text by system, category and severity, how many texts have one, and who has more.

A text that somebody read without marking anything counts with no errors. Marks on errors that were introduced on
purpose are not the system's and are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from goldmark.records.figures import counted
from goldmark.records.tables import Cell, Table
from goldmark.records.tidy.coded import numbered
from goldmark.records.tidy.columns import Frame
from goldmark.results.inputs.groups import Rows, questions, rows_of
from goldmark.results.inputs.table_inputs import TableInputs
from goldmark.results.options import AnalysisOptions, of_figure
from goldmark.results.result_table import MARKED, Needs, from_observations
from goldmark.results.tables.ratings import DIFFERENCES, NO_DIFFERENCE, pairs, shares_signature
from goldmark.results.tables.rows import of_score, ranked, shares
from goldmark.stats.inference.scales import COUNT, OPEN

TOTAL = "total"
UNLABELLED = "without a label"
PER_TEXT = {"value": "errors per text", "standard_error": "s.e.", "n": "readings"}


@dataclass(frozen=True)
class Readings:
    """Texts as people read them: one row a text and person. What they marked is in columns, one entry a mark."""

    rows: Rows
    reading: NDArray[np.int32]  # of each mark, the row in which it was made
    marks: Frame
    introduced: int  # marks left out because they are on introduced errors

    def count(self, what: str = "", wanted: str = "") -> NDArray[np.float64]:
        """How many marks each reading has; only those with the wanted label or severity, if one is named."""
        counted = self.marks.coded(what).equal(wanted) if what else np.ones(len(self.reading))
        return self.sums(counted.astype(np.float64))

    def sums(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """The weights of the marks of each reading, added up."""
        return np.bincount(self.reading, weights=weights, minlength=len(self.rows)).astype(np.float64)

    @property
    def of_people(self) -> bool:
        """Whether people read them; a gold list is nobody's."""
        return any(self.rows.people())


def readings(frame: Frame, question: str, by: str) -> Readings:
    """Every text that somebody read for a question, and what they marked in it."""
    rows = rows_of(frame, question, by)
    code, first = _readings(rows)
    marked = ~rows.frame.coded("start").equal("")
    introduced = marked & rows.frame.coded("introduced").equal("true")
    kept = np.flatnonzero(marked & ~introduced)
    return Readings(rows.take(first), code[kept], rows.frame.take(kept), int(introduced.sum()))


def _readings(rows: Rows) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Of each row which reading it belongs to, and the first row of each: a text that one person read."""
    key = np.zeros(len(rows), dtype=np.int64)
    for column in (rows.unit, rows.annotator, rows.frame.coded("role")):
        key *= len(column.names)
        key += column.codes
    first, code = numbered(key)
    del key
    order = np.argsort(first)  # as they come
    place = np.zeros(len(order), dtype=np.int32)
    place[order] = np.arange(len(order))
    return place[code], first[order]


def errors(frame: Frame, settings: AnalysisOptions, by: str = "system", order: Sequence[str] = ()) -> Table:
    """Errors per text in all and in each category; the fewest come first."""
    return _per_text(frame, settings, by, order, "label", "Errors per text", missing=UNLABELLED)


def severities(frame: Frame, settings: AnalysisOptions, by: str = "system", order: Sequence[str] = ()) -> Table:
    """Errors per text of each severity."""
    return _per_text(frame, settings, by, order, "severity", "Errors per text by severity", missing="not said")


def _per_text(
    frame: Frame, settings: AnalysisOptions, by: str, order: Sequence[str], what: str, title: str, *, missing: str
) -> Table:
    found: list[dict[str, Cell]] = []
    notes: list[str] = []
    signature = ""
    for question in questions(frame, order):
        read = readings(frame, question, by)
        labels = sorted(read.marks.coded(what).used()[1])
        if what == "severity" and not any(labels):
            continue
        totals = ranked(read.rows, read.count(), settings, COUNT)
        signature = totals.signature(z=False, seed=settings.seed)
        groups = [totals.systems[place] for place in reversed(totals.order())]
        made = {TOTAL: dict(zip(totals.systems, totals.scores, strict=True))}
        for label in labels:
            ranking = ranked(read.rows, read.count(what, label), settings, COUNT)
            made[label or missing] = dict(zip(ranking.systems, ranking.scores, strict=True))
        found += (
            {"question": question, by: group, what: label, **of_score(scores[group])}
            for group in groups
            for label, scores in made.items()
        )
        notes += _notes(question, read)
    return Table.of(title, found, notes=tuple(notes), signature=signature, labels=PER_TEXT)


def _notes(question: str, read: Readings) -> Iterator[str]:
    what, where = ("mark", "reading") if read.of_people else ("error", "text")
    clean = int((read.count() == 0).sum())
    yield f"{question}: {counted(len(read.reading), what)} in {counted(len(read.rows), where)}; none in {clean:,}"
    if read.introduced:
        yield f"{question}: {counted(read.introduced, 'mark')} on introduced errors left out"


def texts_with_errors(frame: Frame, settings: AnalysisOptions, by: str = "system", order: Sequence[str] = ()) -> Table:
    """The share of readings in which somebody marked at least one error."""
    found: list[dict[str, Cell]] = []
    for question in questions(frame, order):
        read = readings(frame, question, by)
        made = shares(read.rows, (read.count() > 0).astype(np.float64), settings)
        found += (
            {"question": question, by: group, **of_figure(figure), "count": count}
            for group, (figure, count) in made.items()
        )
    labels = {"value": "share with an error", "n": "readings"}
    return Table.of("Texts with an error", found, signature=shares_signature(settings), labels=labels)


def error_differences(frame: Frame, settings: AnalysisOptions, by: str = "system", order: Sequence[str] = ()) -> Table:
    """Every two systems compared by errors per text, on the items that both have."""
    found: list[dict[str, Cell]] = []
    signature = ""
    for question in questions(frame, order):
        read = readings(frame, question, by)
        ranking = ranked(read.rows, read.count(), settings, COUNT, differences=True)
        signature = ranking.signature(z=False, seed=settings.seed)
        found += ({"question": question, **row} for row in pairs(ranking))
    return Table.of(
        "Differences in errors per text", found, signature=signature, labels=DIFFERENCES, reference=NO_DIFFERENCE
    )


def weighted_errors(frame: Frame, settings: AnalysisOptions, by: str = "system", order: Sequence[str] = ()) -> Table:
    """The weights of a text's errors added up: averaged over its readers, then over texts. Less is better."""
    found: list[dict[str, Cell]] = []
    notes: list[str] = []
    signature = ""
    for question in questions(frame, order):
        read = readings(frame, question, by)
        weights = read.marks.coded("error_weight")
        if not any(weights.used()[1]):
            continue
        unweighted = int(weights.equal("").sum())
        if unweighted:
            notes.append(f"{question}: {counted(unweighted, 'mark')} to which the protocol gives no weight count 0")
        given = weights.numbers(lambda weight: float(weight or 0))
        least = min(0.0, float(given.min(initial=0.0)))  # a protocol may give praise a weight below 0
        ranking = ranked(read.rows, read.sums(given), settings, COUNT if least == 0 else OPEN)
        signature = ranking.signature(z=False, seed=settings.seed)
        found += (
            {"question": question, by: ranking.systems[place], **of_score(ranking.scores[place])}
            for place in reversed(ranking.order())
        )
    labels = {"value": "weight per text", "standard_error": "s.e.", "n": "readings"}
    return Table.of("Weighted errors", found, notes=tuple(notes), signature=signature, labels=labels)


def _no_weights(given: TableInputs) -> str:
    return MARKED.why_not(given) or (
        "" if any(given.errors.cells.get("error_weight", ())) else "no mark has a weight: the protocol gives none"
    )


def _no_severities(given: TableInputs) -> str:
    return MARKED.why_not(given) or (
        "" if any(given.errors.cells.get("severity", ())) else "no mark has a severity: the protocol asks for none"
    )


PAGE = "errors-per-text"
SOURCE = "ACCURACY tables 9 and 10"
ERRORS_TABLE = from_observations(
    "errors", "Errors per text, in all and by category.", PAGE, "spans", errors, MARKED, "heat", SOURCE
)
SEVERITIES_TABLE = from_observations(
    "severities",
    "Errors per text by severity.",
    PAGE,
    "spans",
    severities,
    Needs(_no_severities, "whose marks have a severity"),
    "heat",
)
WEIGHTED_ERRORS_TABLE = from_observations(
    "weighted-errors",
    "The weights of a text's errors, added up.",
    "weighted-errors",
    "spans",
    weighted_errors,
    Needs(_no_weights, "whose protocol gives weights to errors"),
    "dots",
)
TEXTS_WITH_ERRORS_TABLE = from_observations(
    "texts-with-errors", "The share of texts with an error.", "shares", "spans", texts_with_errors, MARKED, "dots"
)
ERROR_DIFFERENCES_TABLE = from_observations(
    "error-differences",
    "Every two systems compared by errors per text.",
    PAGE,
    "spans",
    error_differences,
    MARKED,
    "dots",
)
