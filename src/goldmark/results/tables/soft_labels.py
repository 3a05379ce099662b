"""Answers as distributions: how divided people are, and how far predictions are from what people said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from goldmark.errors import Problem, ProblemsFound
from goldmark.records.annotators import PERSON
from goldmark.records.figures import Figure, Signature, counted
from goldmark.records.tables import Cell, Table
from goldmark.records.tidy.coded import Coded
from goldmark.records.tidy.columns import CheckedColumns, Column, Columns
from goldmark.results.inputs.groups import Rows, questions, rows_of
from goldmark.results.inputs.table_inputs import TableInputs
from goldmark.results.options import AnalysisOptions, with_interval
from goldmark.results.published.catalogue import Analysis, AnalysisPicture, FileNeeded
from goldmark.results.result_table import Needs, ResultTable
from goldmark.results.tables.ratings import takes_several
from goldmark.stats.models import soft_labels as soft

Floats = NDArray[np.float64]
MOST_VALUES = 12  # a scale with more points has no distribution worth telling from so few answers
CLOSE = 1e-3  # probabilities of a unit that add up to 1 but for so much were rounded
PEOPLE, ONE, ALIKE, EVERYWHERE = "(people)", "(one person)", "(every answer alike)", "(the same everywhere)"
NOTES = (
    "cross-entropy in nats: (people) is their own entropy, below which nothing can come; Jensen-Shannon from 0 to 1",
    "(one person): each person's answer against the others'; (every answer alike) and (the same everywhere), which "
    "gives every unit the shares of all answers: what can be had without reading",
)
LABELS = Columns(
    Column("unit", about="what was answered"),
    Column("annotator", about="who answered"),
    Column("label", empty=True, label=True, about="the answer"),
)
PREDICTIONS = Columns(
    Column("unit", about="as in the first file"),
    Column("label", about="an answer that could be given"),
    Column("probability", "number", low=0.0, high=1.0, about="how probable it is said to be"),
    Column("system", optional=True, about="whose prediction it is, where there are several"),
)


class LabelsSaid:
    """What people said of the units of one question: units x values."""

    def __init__(self, units: Sequence[str], labels: Sequence[str], values: Sequence[str] = ()) -> None:
        unit, self.units = Coded.of(units).used()
        label, given = Coded.of(labels).used()
        self.values = sorted({*given, *values}, key=_in_order)
        place = np.array([self.values.index(one) for one in given], dtype=np.int64)
        size = len(self.units), len(self.values)
        cell = unit * size[1] + place[label]
        self.votes: Floats = np.bincount(cell, minlength=size[0] * size[1]).reshape(size).astype(np.float64)

    @property
    def shares(self) -> Floats:
        shares: Floats = self.votes / self.votes.sum(axis=1, keepdims=True)
        return shares

    def rows(self, level: float) -> Iterator[dict[str, Cell]]:
        """What predictions are to be held against."""
        shares = self.shares
        own = soft.mean_over_units(soft.entropies(shares), top=None, level=level)
        yield _row(PEOPLE, own, Figure(0.0, used=len(shares)), own.reason)
        yield _row(ONE, None, soft.one_against_others(self.votes, level))
        alike = np.full(shares.shape, 1 / shares.shape[1])
        everywhere = np.broadcast_to(self.votes.sum(axis=0) / self.votes.sum(), shares.shape)
        same = Figure(float(np.log(shares.shape[1])), used=len(shares))  # whatever people say
        yield _row(ALIKE, same, soft.distances(shares, alike, level).jensen_shannon)
        yield _row(EVERYWHERE, *soft.distances(shares, everywhere, level))

    def predicted(self, name: str, units: Mapping[str, Floats], level: float) -> dict[str, Cell]:
        """How far a prediction is, on the units that it has."""
        here = np.array([unit in units for unit in self.units])
        if not here.any():
            return _row(name, None, Figure(None, reason="none of these units is predicted", used=0))
        guess = np.stack([units[unit] for unit in self.units if unit in units])
        return _row(name, *soft.distances(self.shares[here], guess, level))


def _in_order(label: str) -> tuple[bool, float, str]:
    try:
        return False, float(label), label
    except ValueError:
        return True, 0.0, label


def _row(name: str, across: Figure | None, apart: Figure, reason: str = "") -> dict[str, Cell]:
    """`across`: cross-entropy, None where it makes no sense."""
    cross = across or Figure(None, reason="-")
    said = (apart.reason, cross.reason if across else "")
    return {
        "prediction": name,
        **with_interval("jensen_shannon", apart.value, apart.interval),
        **with_interval("cross_entropy", cross.value, cross.interval),
        "units": apart.used,
        "reason": reason or "; ".join(dict.fromkeys(filter(None, said))),
    }


def _table(rows: list[dict[str, Cell]], settings: AnalysisOptions, notes: Sequence[str] = ()) -> Table:
    signature = Signature.of(figure="soft-labels", interval="jackknife-units", level=settings.level)
    return Table.of(
        "Answers as distributions",
        rows,
        notes=(*NOTES, *notes),
        signature=str(signature),
        labels={"jensen_shannon": "Jensen-Shannon", "cross_entropy": "cross-entropy"},
    )


def soft_label_tables(given: TableInputs, settings: AnalysisOptions) -> list[Table]:
    """Of every question with few answers to choose from; models and checkers are predictions, if they count."""
    rows: list[dict[str, Cell]] = []
    for question, answers in _asked(given):
        labels, people = answers.frame.coded("label"), _people(answers)
        if not people.any():
            continue
        said = LabelsSaid(answers.unit.take(people), labels.take(people), labels.used()[1])
        models = _models(answers.take(np.flatnonzero(~people)), said.values)
        made = [*said.rows(settings.level), *(said.predicted(*one, settings.level) for one in models.items())]
        rows += [{"question": question, **row} for row in made]
    return [_table(rows, settings)]


def _asked(given: TableInputs) -> Iterator[tuple[str, Rows]]:
    """The questions of which everybody gives one of a few answers."""
    for table in ("ratings", "choices"):
        frame = given.frames[table]
        for question in questions(frame, given.order):
            rows = rows_of(frame, question)
            few = len(rows.frame.coded("label").used()[1]) <= MOST_VALUES
            if few and not (table == "choices" and takes_several(rows)):
                yield question, rows


def _people(rows: Rows) -> NDArray[np.bool_]:
    """Of each answer, whether a person gave it."""
    if "kind" not in rows.frame.cells:
        return np.ones(len(rows), dtype=np.bool_)
    return rows.frame.coded("kind").mapped(lambda kind: kind or PERSON).equal(PERSON)


def _models(rows: Rows, values: Sequence[str]) -> dict[str, dict[str, Floats]]:
    """By model and unit, what it said for sure."""
    found: dict[str, dict[str, Floats]] = {}
    for unit, name, label in zip(rows.unit, rows.annotator, rows.frame.coded("label"), strict=True):
        found.setdefault(name, {})[unit] = np.eye(len(values))[values.index(label)]
    return found


def soft_labels_of_files(
    labels: CheckedColumns, predictions: CheckedColumns | None, settings: AnalysisOptions
) -> list[Table]:
    """The same of files: people's labels, and the predictions of one system or several; and the soft labels."""
    rows = [row for row in zip(labels.texts("unit"), labels.texts("label"), strict=True) if row[1]]
    if not rows:
        raise ProblemsFound([Problem(labels.frame.source, "there is no label", "fill in the column `label`")])
    units, given = zip(*rows, strict=True)
    said = LabelsSaid(units, given, predictions.texts("label") if predictions else ())
    systems = _systems(predictions, said.values) if predictions else {}
    made = [*said.rows(settings.level), *(said.predicted(*one, settings.level) for one in systems.items())]
    missing = {name: len(set(said.units) - set(units)) for name, units in systems.items()}
    notes = [f"{name} predicts nothing for {counted(many, 'unit')}" for name, many in missing.items() if many]
    unknown = {unit for units in systems.values() for unit in units} - set(said.units)
    if unknown:
        notes.append(f"left out: predictions for {counted(len(unknown), 'unit')} that nobody labelled")
    if skipped := len(labels) - len(rows):
        notes.append(f"left out: {counted(skipped, 'row')} without a label")
    return [_table(made, settings, notes), _labels(said, settings)]


def _systems(predictions: CheckedColumns, values: Sequence[str]) -> dict[str, dict[str, Floats]]:
    """By system and unit, a probability for every value; every problem at once."""
    found: dict[str, dict[str, Floats]] = {}
    where: dict[tuple[str, str], str] = {}
    names = predictions.texts("system") if "system" in predictions else ["prediction"] * len(predictions)
    place = {value: column for column, value in enumerate(values)}
    problems = []
    seen: set[tuple[str, str, str]] = set()
    numbers = [float(str(one)) for one in predictions.values["probability"]]
    for row, (name, unit, label) in enumerate(
        zip(names, predictions.texts("unit"), predictions.texts("label"), strict=True)
    ):
        if (name, unit, label) in seen:
            what = f"{name} has two probabilities of {label!r} for {unit}"
            problems.append(Problem(predictions.frame.where(row), what, "keep one of them"))
        seen.add((name, unit, label))
        where.setdefault((name, unit), predictions.frame.where(row))
        own = found.setdefault(name, {}).setdefault(unit, np.zeros(len(values)))
        own[place[label]] += numbers[row]
    for (name, unit), line in where.items():
        total = float(found[name][unit].sum())
        if not problems and abs(total - 1) > CLOSE:
            what = f"{name}'s probabilities for {unit} add up to {total:g}"
            problems.append(Problem(line, what, "give every unit probabilities that add up to 1"))
        if total > 0:
            found[name][unit] /= total
    if problems:
        raise ProblemsFound(problems, consequence="nothing was computed")
    return found


def _labels(said: LabelsSaid, settings: AnalysisOptions) -> Table:
    """The soft labels themselves, to learn from."""
    shares, entropy = said.shares, soft.entropies(said.shares)
    rows: list[dict[str, Cell]] = [
        {
            "unit": unit,
            "answers": int(said.votes[place].sum()),
            "entropy": float(entropy[place]),
            **{f"p({value})": float(shares[place, column]) for column, value in enumerate(said.values)},
        }
        for place, unit in enumerate(said.units)
    ]
    signature = Signature.of(figure="soft-labels", entropy="nats")
    return Table.of("Soft labels", rows, signature=str(signature), name="units")


SOFT_LABELS = Analysis(
    "soft-labels",
    "How divided people are, and how far predictions are from what they said.",
    "",
    (FileNeeded("labels", LABELS), FileNeeded("predictions", PREDICTIONS, optional=True)),
    soft_labels_of_files,
    AnalysisPicture(0, "jensen_shannon", ("prediction",)),
)


def _why_not(given: TableInputs) -> str:
    return "" if any(True for _ in _asked(given)) else "no question has a few answers to choose from"


SOFT_LABELS_TABLE = ResultTable(
    SOFT_LABELS.name,
    SOFT_LABELS.about,
    SOFT_LABELS.name,
    (),
    soft_label_tables,
    needs=Needs(_why_not, "that asks for one of a few answers"),
    analysis=SOFT_LABELS,
)
