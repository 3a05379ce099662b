"""Marked errors: how many in a text by system, category and severity, how many texts have one, and who has more.

A text that somebody read without marking anything counts with no errors. Marks on errors that were introduced on
purpose are not the system's and are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from goldmark.analysis.settings import Settings, counted
from goldmark.records.columns import Frame
from goldmark.records.tables import Cell, Table
from goldmark.results.figures import of_figure, of_score, ranked, shares
from goldmark.results.groups import Rows, questions, rows_of
from goldmark.results.ratings import DIFFERENCES, pairs, shares_signature

TOTAL = "total"
UNLABELLED = "without a label"
PER_TEXT = {"value": "errors per text", "standard_error": "s.e.", "n": "readings"}


@dataclass(frozen=True)
class Readings:
    """Texts as people read them: one row a text and person, with what each marked."""

    rows: Rows
    marks: Sequence[Sequence[Mapping[str, str]]]  # label, severity, error_weight
    introduced: int  # marks left out because they are on introduced errors

    def counts(self, counts: Callable[[Mapping[str, str]], float]) -> list[float]:
        return [sum(map(counts, some)) for some in self.marks]


def readings(frame: Frame, question: str, by: str) -> Readings:
    """Every text that somebody read for a question, and what they marked in it."""
    rows = rows_of(frame, question, by)
    cells = rows.frame.cells
    place: dict[tuple[str, str, str], int] = {}
    first: list[int] = []
    marks: list[list[Mapping[str, str]]] = []
    introduced = 0
    for row, key in enumerate(zip(cells["unit"], cells["annotator"], cells["role"], strict=True)):
        if key not in place:
            place[key] = len(first)
            first.append(row)
            marks.append([])
        if cells["start"][row] == "":
            continue
        if cells["introduced"][row] == "true":
            introduced += 1
            continue
        marks[place[key]].append({name: cells[name][row] for name in ("label", "severity", "error_weight")})
    pick = Rows(
        [rows.group[row] for row in first],
        [rows.item[row] for row in first],
        [rows.unit[row] for row in first],
        [rows.annotator[row] for row in first],
        Frame(frame.source, {}),
    )
    return Readings(pick, marks, introduced)


def errors(frame: Frame, settings: Settings, by: str = "system", order: Sequence[str] = ()) -> Table:
    """Errors per text in all and in each category; the fewest come first."""
    return _per_text(frame, settings, by, order, "label", "Errors per text", missing=UNLABELLED)


def severities(frame: Frame, settings: Settings, by: str = "system", order: Sequence[str] = ()) -> Table:
    """Errors per text of each severity."""
    return _per_text(frame, settings, by, order, "severity", "Errors per text by severity", missing="not said")


def _per_text(
    frame: Frame, settings: Settings, by: str, order: Sequence[str], what: str, title: str, *, missing: str
) -> Table:
    found: list[dict[str, Cell]] = []
    notes: list[str] = []
    signature = ""
    for question in questions(frame, order):
        read = readings(frame, question, by)
        labels = sorted({mark[what] for some in read.marks for mark in some})
        if what == "severity" and not any(labels):
            continue
        parts = {TOTAL: lambda mark: 1.0} | {
            label or missing: (lambda mark, label=label: float(mark[what] == label)) for label in labels
        }
        totals = ranked(read.rows, read.counts(parts[TOTAL]), settings)
        signature = totals.signature(z=False, seed=settings.seed)
        groups = [totals.systems[place] for place in reversed(totals.order())]
        made = {}
        for label, counts in parts.items():
            ranking = totals if label == TOTAL else ranked(read.rows, read.counts(counts), settings)
            made[label] = dict(zip(ranking.systems, ranking.scores, strict=True))
        found += (
            {"question": question, by: group, what: label, **of_score(scores[group])}
            for group in groups
            for label, scores in made.items()
        )
        notes += _notes(question, read)
    return Table.of(title, found, notes=tuple(notes), signature=signature, labels=PER_TEXT)


def _notes(question: str, read: Readings) -> Iterator[str]:
    marks = sum(map(len, read.marks))
    clean = sum(not some for some in read.marks)
    yield f"{question}: {counted(marks, 'mark')} in {counted(len(read.rows), 'reading')}; nothing marked in {clean:,}"
    if read.introduced:
        yield f"{question}: {counted(read.introduced, 'mark')} on introduced errors left out"


def texts_with_errors(frame: Frame, settings: Settings, by: str = "system", order: Sequence[str] = ()) -> Table:
    """The share of readings in which somebody marked at least one error."""
    found: list[dict[str, Cell]] = []
    for question in questions(frame, order):
        read = readings(frame, question, by)
        made = shares(read.rows, [float(bool(some)) for some in read.marks], settings)
        found += (
            {"question": question, by: group, **of_figure(figure), "count": count}
            for group, (figure, count) in made.items()
        )
    labels = {"value": "share with an error", "n": "readings"}
    return Table.of("Texts with an error", found, signature=shares_signature(settings), labels=labels)


def error_differences(frame: Frame, settings: Settings, by: str = "system", order: Sequence[str] = ()) -> Table:
    """Every two systems compared by errors per text, on the items that both have."""
    found: list[dict[str, Cell]] = []
    signature = ""
    for question in questions(frame, order):
        read = readings(frame, question, by)
        ranking = ranked(read.rows, read.counts(lambda mark: 1.0), settings, test=True)
        signature = ranking.signature(z=False, seed=settings.seed)
        found += ({"question": question, **row} for row in pairs(ranking, settings))
    return Table.of("Differences in errors per text", found, signature=signature, labels=DIFFERENCES)


def weighted_errors(frame: Frame, settings: Settings, by: str = "system", order: Sequence[str] = ()) -> Table:
    """The weights of a text's errors added up: averaged over its readers, then over texts. Less is better."""
    found: list[dict[str, Cell]] = []
    notes: list[str] = []
    signature = ""
    for question in questions(frame, order):
        read = readings(frame, question, by)
        weights = [mark["error_weight"] for some in read.marks for mark in some]
        if not any(weights):
            continue
        unweighted = sum(not weight for weight in weights)
        if unweighted:
            notes.append(f"{question}: {counted(unweighted, 'mark')} to which the protocol gives no weight count 0")
        ranking = ranked(read.rows, read.counts(lambda mark: float(mark["error_weight"] or 0)), settings)
        signature = ranking.signature(z=False, seed=settings.seed)
        found += (
            {"question": question, by: ranking.systems[place], **of_score(ranking.scores[place])}
            for place in reversed(ranking.order())
        )
    labels = {"value": "weight per text", "standard_error": "s.e.", "n": "readings"}
    return Table.of("Weighted errors", found, notes=tuple(notes), signature=signature, labels=labels)
