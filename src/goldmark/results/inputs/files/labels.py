"""Labels of any table, for agreement and whatever else compares annotators."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple, cast

import numpy as np

from goldmark.errors import GoldmarkError, Problem, ProblemsFound
from goldmark.records.tidy.columns import CheckedColumns, Column, Columns, Frame, JsonInCells
from goldmark.records.tidy.kept import SET_ASIDE, Keep, OmittedRows, check_kept
from goldmark.stats.agreement_measures.alpha import Level
from goldmark.stats.agreement_measures.unit_labels import Coded, LabelledTwice, UnitLabels
from goldmark.texts.readers.coded_columns import CodedColumn, read_coded
from goldmark.texts.readers.tidy import table_of


class ReadLabels(NamedTuple):
    labels: UnitLabels
    missing: int  # cells without a value
    left_out: tuple[OmittedRows, ...] = ()  # rows that do not count


class SeveralLabels(GoldmarkError):
    code = "AGREEMENT-03"
    message = (
        "{where}: {annotator} chose several labels for {unit}; agreement needs one of each: look at one option at a "
        "time with --keep label={label} --value chosen"
    )


def read_labels(
    data: Path | Frame,
    names: Mapping[str, str],
    *,
    level: Level = "nominal",
    order: Sequence[str] = (),
    keep: Keep | None = None,
) -> ReadLabels:
    """The labels of a table, how many cells are empty and which rows were left out, or every problem with its line.

    `names` says how it calls the columns `unit`, `annotator` and `value`. Values are numbers, unless the level is
    nominal or `order` names them from lowest to highest. Of a table of an exported campaign one question counts, that
    of `keep` if it has several, without test questions and what is excluded.
    """
    kind: Literal["text", "number"] = "text" if level == "nominal" or order else "number"
    value = Column("value", kind, empty=True, low=0.0 if level == "ratio" else None, among=tuple(order), label=True)
    wanted = [names.get(name) or name for name in ("unit", "annotator", "value")]
    coded = None
    if isinstance(data, Path) and not keep:
        coded = read_coded(data, wanted, without=("question", *SET_ASIDE))
    if coded is not None and not any("" in column.names for column in coded[:2]):
        try:
            distinct = Columns(value).check(Frame("labels", {"value": coded[2].names})).values["value"]
            labels = UnitLabels.coded(_arrays(coded[0]), _arrays(coded[1]), _arrays(coded[2], _ranked(distinct, order)))
            return ReadLabels(labels, len(coded[2].codes) - len(labels))
        except (ProblemsFound, LabelledTwice, JsonInCells):
            pass  # the careful way below finds the same again, with its lines
    columns = Columns("unit", "annotator", value)
    checked, left_out = check_kept(columns, table_of(data), keep or {}, names, options=True)
    values = _ranked(checked.values["value"], order)
    _refuse_repeats(checked, values)
    labels = UnitLabels.of(checked.texts("unit"), checked.texts("annotator"), values)
    return ReadLabels(labels, len(values) - len(labels), left_out)


def _arrays(column: CodedColumn, names: Sequence[Hashable | None] | None = None) -> Coded:
    return np.frombuffer(column.codes, dtype=np.int64), column.names if names is None else names


def _ranked(values: Sequence[object], order: Sequence[str]) -> list[Hashable | None]:
    if not order:
        return cast("list[Hashable | None]", list(values))
    return [None if value is None else order.index(str(value)) for value in values]


def _refuse_repeats(checked: CheckedColumns, values: Sequence[object]) -> None:
    units, annotators = checked.texts("unit"), checked.texts("annotator")
    first: dict[tuple[str, str], int] = {}
    problems = []
    for row, value in enumerate(values):
        earlier = row if value is None else first.setdefault((units[row], annotators[row]), row)
        if earlier != row and "chosen" in checked.frame.cells:
            raise SeveralLabels(
                where=checked.frame.where(row), annotator=annotators[row], unit=units[row], label=values[earlier]
            )
        if earlier != row:
            what = f"{annotators[row]} labelled {units[row]} already ({checked.frame.where(earlier)})"
            problems.append(Problem(checked.frame.where(row), what, "keep one of the two"))
    if problems:
        raise ProblemsFound(problems, consequence="nothing was computed")
