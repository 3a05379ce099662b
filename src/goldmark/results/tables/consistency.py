"""How far people agree with themselves, where a campaign shows some units again.

Nobody gets a unit twice, so what is shown again is a unit of its own whose hidden fact `repeats` names the first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from goldmark.records.figures import Figure, Signature, counted
from goldmark.records.tables import Cell, Table
from goldmark.records.tidy.coded import Coded
from goldmark.records.tidy.columns import Frame
from goldmark.results.inputs.groups import Rows, questions, rows_of
from goldmark.results.inputs.table_inputs import TableInputs
from goldmark.results.options import AnalysisOptions, of_figure
from goldmark.results.result_table import Needs, ResultTable
from goldmark.results.tables.agreement import labelled, marks_of
from goldmark.stats.agreement_measures import consistency
from goldmark.stats.agreement_measures.consistency import RepeatedReadings
from goldmark.stats.agreement_measures.unit_labels import UnitLabels

REPEATS = "repeats"
EVERYBODY = "(everybody)"
PART = "\x1f"  # stands in no name
READ = ("ratings", "choices", "comparisons", "spans")
Whole = NDArray[np.int64]


class Twice(NamedTuple):
    """Answers that were given twice: by whom, to what, and where each stands among all answers."""

    readings: RepeatedReadings
    people: list[str]
    first: Whole
    again: Whole


def _repeated(frames: Mapping[str, Frame]) -> dict[str, str]:
    """Units that show another one again, and which."""
    return {
        unit: other
        for name in READ
        if REPEATS in frames[name].cells
        for unit, other in zip(frames[name].cells["unit"], frames[name].cells[REPEATS], strict=True)
        if other and other != unit
    }


def twice(units: Sequence[str], people: Sequence[str], repeated: Mapping[str, str]) -> Twice:
    """Which answers belong together; an answer is a unit and a person."""
    place = {both: row for row, both in enumerate(zip(units, people, strict=True))}
    found = [
        (repeated[unit], person, place[repeated[unit], person], row)
        for (unit, person), row in place.items()
        if (repeated.get(unit, ""), person) in place
    ]
    if not found:
        return Twice(RepeatedReadings(np.zeros(0, int), np.zeros(0, int)), [], np.zeros(0, int), np.zeros(0, int))
    shown, whose, first, again = zip(*found, strict=True)
    unit, _ = Coded.of(shown).used()
    codes, names = Coded.of(whose).used()
    return Twice(RepeatedReadings(unit, codes), names, np.array(first), np.array(again))


def consistency_tables(given: TableInputs, settings: AnalysisOptions) -> list[Table]:
    """Of every question: how often people said the same again, everybody together and each of them."""
    repeated = _repeated(given.frames)
    rows: list[dict[str, Cell]] = []
    once = 0
    for question, label, level, labels in labelled(given.frames):
        found = twice(*_answers(labels), repeated)
        once += _alone(labels, repeated) - len(found.readings)
        rows += _said_again(question, label, labels, found, level != "nominal", settings)
    for question in questions(given.frames["spans"]):
        rows += _marked_again(question, rows_of(given.frames["spans"], question), repeated, settings)
    asked = [*given.order, *(str(row["question"]) for row in rows)]
    rows.sort(key=lambda row: asked.index(str(row["question"])))
    notes = [f"{counted(len(repeated), 'unit')} shown again; the same person's two answers are compared"]
    if once:
        notes.append(f"left out: {counted(once, 'answer')} by people who did not answer the unit that is repeated")
    signature = Signature.of(figure="consistency", interval="jackknife-units-and-people", level=settings.level)
    called = {"value": "agreement", "n": "answers"}
    return [Table.of("People with themselves", rows, notes=tuple(notes), signature=str(signature), labels=called)]


def _answers(labels: UnitLabels) -> tuple[list[str], list[str]]:
    units, people = list(map(str, labels.unit_names)), list(map(str, labels.annotator_names))
    return [units[code] for code in labels.units], [people[code] for code in labels.annotators]


def _alone(labels: UnitLabels, repeated: Mapping[str, str]) -> int:
    """How many answers are to units that repeat others."""
    return int(np.array([str(name) in repeated for name in labels.unit_names])[labels.units].sum())


def _groups(found: Twice) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Everybody together, then each person."""
    yield EVERYBODY, np.ones(len(found.readings), dtype=np.bool_)
    if len(found.people) > 1:
        for place in sorted(range(len(found.people)), key=found.people.__getitem__):
            yield found.people[place], found.readings.person == place


def _said_again(
    question: str, label: str, labels: UnitLabels, found: Twice, ordered: bool, settings: AnalysisOptions
) -> Iterator[dict[str, Cell]]:
    values = np.array([float(str(one)) for one in labels.scale]) if ordered else np.arange(len(labels.scale))
    first, again = values[labels.values[found.first]], values[labels.values[found.again]]
    for person, own in _groups(found):
        readings, x, y = found.readings.take(own), first[own], again[own]
        equal = consistency.share_kept(readings, np.ones(len(x)), (x == y).astype(np.float64), settings.level)
        weighed = consistency.kappa(readings, x, y, ordered=ordered, level=settings.level)
        yield _row(question, label, person, "percent", equal)
        yield _row(question, label, person, "kappa, quadratic" if ordered else "kappa", weighed)


def _marked_again(
    question: str, rows: Rows, repeated: Mapping[str, str], settings: AnalysisOptions
) -> Iterator[dict[str, Cell]]:
    """2 x tokens that were marked both times / tokens of the first and of the second time."""
    units, people = list(rows.unit), list(rows.annotator)
    found = twice(units, people, repeated)
    known = {(units[row], people[row]) for row in [*found.first, *found.again]}
    kept = np.array([both in known for both in zip(units, people, strict=True)], dtype=np.bool_)
    own = rows.take(np.flatnonzero(kept))
    # One person's two readings of a unit, as two people's readings of a text that is theirs alone.
    theirs = [f"{person}{PART}{repeated.get(unit, unit)}" for unit, person in zip(own.unit, own.annotator, strict=True)]
    turn = own.unit.mapped(lambda unit: "again" if unit in repeated else "first")
    marks = marks_of(Rows(own.group, own.item, Coded.of(theirs), turn, own.frame))
    names = [name.partition(PART) for name in marks.texts]
    person, who = Coded.of([name for name, _, _ in names]).used()
    unit, _ = Coded.of([name for _, _, name in names]).used()
    first, again = marks.pairs
    text = marks.text[first]
    whole = (marks.tokens[first] + marks.tokens[again]).astype(np.float64)
    shared = (2 * marks.shared_tokens()).astype(np.float64)
    said = Twice(RepeatedReadings(unit[text], person[text]), who, first, again)
    for name, mine in _groups(said):
        f1 = consistency.share_kept(said.readings.take(mine), whole[mine], shared[mine], settings.level)
        yield _row(question, "", name, "token_f1", f1)


def _row(question: str, label: str, person: str, measure: str, figure: Figure) -> dict[str, Cell]:
    return {"question": question, "label": label, "annotator": person, "measure": measure, **of_figure(figure)}


def _why_not(given: TableInputs) -> str:
    none = f"no unit has the hidden fact `{REPEATS}`, which names the unit that it shows again"
    return "" if _repeated(given.frames) else none


CONSISTENCY_TABLE = ResultTable(
    "consistency",
    "How far people agree with themselves on units that are shown again.",
    "consistency",
    READ,
    consistency_tables,
    "dots",
    needs=Needs(_why_not, "in which some units repeat others (hidden fact `repeats`)"),
)
