"""Tables of observations that somebody gives: a folder that was exported, single files, rows, or data frames.

What a table does not say is filled in where there is one sensible way, so that ratings from elsewhere need little more
than the ratings themselves. What it says wrongly is told, every cell at once.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from itertools import starmap
from pathlib import Path
from typing import NamedTuple

from goldmark.errors import Missing
from goldmark.observations.files import PROTOCOL_FILE
from goldmark.observations.frames import NOT_KEPT
from goldmark.observations.schema import TABLES
from goldmark.protocols import Protocol, parse
from goldmark.records.figures import counted
from goldmark.records.tidy.columns import Column, Columns, Frame, MissingColumn, written
from goldmark.texts.readers.spreadsheet import csv_lines
from goldmark.texts.readers.tidy import NothingInside, read_tidy

ENDINGS = (".csv", ".tsv", ".jsonl", ".parquet")
# What stands in a column that a table does not have. A unit and an item stand for each other.
DEFAULTS: Mapping[str, str] = {
    "kind": "person",
    "test": "false",
    "excluded": "false",
    "weight": "1.0",
    "role": "text",
    "chosen": "true",
    "first": "a",
    "role_a": "a",
    "role_b": "b",
    "introduced": "false",
    "test_questions": "0",
}
LARGEST = 2_000_000_000  # whole number: places of tokens and counts, four bytes each
# What has to stand in a table, and what may stand in its cells; everything else is text.
_YES = [Column(name, "yes", optional=True, empty=True) for name in ("test", "excluded")]
_WHOLE = [
    Column(name, "whole", optional=True, empty=True, low=0, high=LARGEST)
    for name in ("tokens", "characters", "sentences")
]
CHECKS: Mapping[str, Columns] = {
    "texts": Columns(*_YES, *_WHOLE, Column("responses", "whole", low=0, high=LARGEST)),
    "ratings": Columns(
        *_YES,
        Column("value", "number", empty=True),
        Column("scale_low", "number", optional=True, empty=True),
        Column("scale_high", "number", optional=True, empty=True),
    ),
    "choices": Columns(*_YES, "label", Column("chosen", "yes", optional=True)),
    "spans": Columns(
        *_YES,
        *_WHOLE,
        Column("start", "whole", empty=True, low=0, high=LARGEST),
        Column("end", "whole", empty=True, low=1, high=LARGEST),
        Column("introduced", "yes", optional=True, empty=True),
        Column("error_weight", "number", optional=True, empty=True),
    ),
    "comparisons": Columns(
        *_YES,
        "a",
        "b",
        Column("first", optional=True, empty=True, among=("a", "b")),
        Column("preferred", among=("a", "b", "tie")),
    ),
    "words": Columns(*_YES, Column("words", empty=True)),
    "people": Columns(*_YES, "annotator", Column("responses", "whole", low=0, high=LARGEST)),
}


class UnknownObservations(Missing):
    code = "OBSERVATIONS-02"
    message = "{path} is no table of observations; name it after one of them: {known}"


class NoObservations(Missing):
    code = "OBSERVATIONS-03"
    message = "{path} holds none of the tables {known}; was it made by `goldmark campaign export --format tidy`?"


class GivenTables(NamedTuple):
    """All tables of observations, those that were not given without a row."""

    frames: Mapping[str, Frame]
    protocol: Protocol | None = None  # what was asked, where a folder says it
    notes: tuple[str, ...] = ()


def read_tables(
    paths: Sequence[Path],
    names: Mapping[str, str] | None = None,
    *,
    only: str = "",
    without: Container[str] = NOT_KEPT,
) -> GivenTables:
    """From a folder, or from files that are named after their tables; `only`: all files are of this table.

    Columns that are part of no figure are left out, unless `without` says otherwise.
    """
    found: dict[str, Frame] = {}
    protocol = None
    for path in paths:
        if path.is_dir():
            here = {name: file for name in TABLES if (file := _in_folder(path, name)) is not None}
            if not here:
                raise NoObservations(path=path, known=", ".join(TABLES))
            found |= {name: _read(file, without) for name, file in here.items()}
            told = path / PROTOCOL_FILE
            protocol = parse(told.read_text(encoding="utf-8"), file=told.name) if told.is_file() else protocol
            continue
        name = only or path.stem
        if name not in TABLES:
            raise UnknownObservations(path=path, known=", ".join(TABLES))
        found[name] = _read(path, without)
    return given(found, names, protocol=protocol)


def given(
    tables: Mapping[str, Frame], names: Mapping[str, str] | None = None, *, protocol: Protocol | None = None
) -> GivenTables:
    """Tables as somebody has them, checked and completed; `names` maps our column names to their own."""
    notes: list[str] = []
    frames = {}
    for name in TABLES:
        frame = _completed(name, _renamed(tables[name], names or {}), notes) if name in tables else _empty(name)
        frames[name] = frame
    return GivenTables(frames, protocol, tuple(notes))


def counting(tables: GivenTables, *, tests: bool = False, excluded: bool = False, models: bool = False) -> GivenTables:
    """Without answers to test questions, of excluded annotators, of models and checkers: a table may hold such rows."""
    frames, notes = dict(tables.frames), list(tables.notes)
    aside: Sequence[tuple[str, str, bool, Container[str]]] = (
        ("test", "to test questions", tests, ("true",)),
        ("excluded", "of excluded people", excluded, ("true",)),
        ("kind", "of models and checkers", models, ("model", "checker")),
    )
    for column, what, keep, those in aside:
        gone = 0
        for name in ("ratings", "choices", "spans", "comparisons", "words", *(["people"] if column == "kind" else ())):
            flags = frames[name].coded(column)
            if not keep and any(flag in those for flag in flags.used()[1]):
                left = [place for place, flag in enumerate(flags) if flag not in those]
                gone += (len(flags) - len(left)) * (name != "people")
                frames[name] = frames[name].take(left)
        if gone:
            notes.append(f"left out: {counted(gone, 'row')} of answers {what}")
    return tables._replace(frames=frames, notes=tuple(notes))


def _in_folder(folder: Path, name: str) -> Path | None:
    return next((path for ending in ENDINGS if (path := folder / f"{name}{ending}").is_file()), None)


def _read(path: Path, without: Container[str]) -> Frame:
    try:
        frame = read_tidy(path)
    except NothingInside:  # a table without a row, as an export writes it
        rows = csv_lines(path.read_text(encoding="utf-8-sig"))
        frame = Frame(path.name, {name: [] for _, head in rows for name in head})
    kept = {name: cells for name, cells in frame.cells.items() if name not in without}
    return Frame(frame.source, kept, frame.lines)


def _empty(name: str) -> Frame:
    return Frame(name, {column: [] for column in TABLES[name].all_columns if column not in NOT_KEPT})


def _renamed(frame: Frame, names: Mapping[str, str]) -> Frame:
    ours = {theirs: name for name, theirs in names.items() if theirs in frame.cells}
    taken = set(ours.values())
    cells = {ours.get(name, name): cells for name, cells in frame.cells.items() if name in ours or name not in taken}
    return Frame(frame.source, cells, frame.lines)


def _completed(name: str, frame: Frame, notes: list[str]) -> Frame:
    """A table with all its columns, its yes and no and its whole numbers written as we write them."""
    rows = len(frame)
    if name == "ratings" and "value" not in frame.cells and "score" in frame.cells:
        frame = _renamed(frame, {"value": "score"})
    if not rows and not frame.cells:
        return _empty(name)
    checked = CHECKS[name].check(frame)
    kinds = {column.name: column.kind for column in CHECKS[name]}
    cells: dict[str, Sequence[str]] = dict(frame.cells)
    for column in checked.values:
        if kinds[column] != "text":
            cells[column] = [
                cell if kinds[column] == "number" and value is not None else written(value)
                for cell, value in zip(frame.cells[column], checked.values[column], strict=True)
            ]
    cells |= _units(name, frame)
    if name == "ratings" and "label" not in cells:
        cells["label"] = cells["value"]
    if name == "comparisons" and "winner" not in cells:
        cells["winner"] = list(starmap(_winner, zip(cells["a"], cells["b"], cells["preferred"], strict=True)))
    for column in TABLES[name].all_columns:
        if column not in cells and column not in NOT_KEPT:
            cells[column] = [name if column == "question" else DEFAULTS.get(column, "")] * rows
    # Our own columns first, in our order; then whatever else there is to compare by.
    order = [*TABLES[name].all_columns, *cells]
    full = Frame(frame.source, {column: cells[column] for column in order if column in cells}, frame.lines)
    if name != "ratings":
        return full
    known = [place for place, value in enumerate(checked.values["value"]) if value is not None]
    if len(known) < rows:
        notes.append(f"left out: {counted(rows - len(known), 'rating')} without a value")
    return full.take(known) if len(known) < rows else full


def _units(name: str, frame: Frame) -> dict[str, Sequence[str]]:
    """Units and items: the outputs of several systems for one item are several units."""
    cells = frame.cells
    if "unit" in cells or name == "people":
        return {} if "item" in cells or "unit" not in cells else {"item": cells["unit"]}
    if "item" not in cells:
        raise MissingColumn(needed="'unit' or 'item'", source=frame.source, present=", ".join(cells), remedy="")
    systems = cells.get("system", [""] * len(frame))
    if name == "comparisons":
        systems = [f"{a} {b}" for a, b in zip(cells["a"], cells["b"], strict=True)]
    pairs = zip(cells["item"], systems, strict=True)
    return {"unit": [f"{item}/{system}" if system else item for item, system in pairs]}


def _winner(a: str, b: str, preferred: str) -> str:
    return {"a": a, "b": b}.get(preferred, "")
