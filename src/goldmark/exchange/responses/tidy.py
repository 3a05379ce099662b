"""Tidy answers: a row for each unit and annotator, a column for each question, as CSV or JSON lines.

A row of JSON may also have its answers in an object of their own, under `answers`. `seconds` and `time` say how long an
answer took and when it was given, `kind` whether a person, a model or a checker gave it, unless the protocol has
questions of these names.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from goldmark.errors import GoldmarkError, Problem
from goldmark.exchange.campaign.archive import Files
from goldmark.exchange.format import Format
from goldmark.exchange.responses.given import GivenAnswers, Target
from goldmark.exchange.responses.placement import Placing
from goldmark.exchange.responses.values import Values
from goldmark.protocols.answers import marking
from goldmark.protocols.kinds.base import in_json
from goldmark.protocols.loading.did_you_mean import did_you_mean
from goldmark.records.annotators import ANNOTATOR_KINDS
from goldmark.texts.readers.formats import decode
from goldmark.texts.readers.json_objects import json_objects
from goldmark.texts.readers.spreadsheet import CELL_LIMIT, lines_of, restore

UNIT, ANNOTATOR, ANSWERS, SECONDS, TIME, KIND = "unit", "annotator", "answers", "seconds", "time", "kind"
ANSWER = "answer"  # the column of a file with one question, which --question names
_JSON = (".jsonl", ".ndjson", ".json")
_Row = tuple[str, Mapping[str, Any]]  # where it stands, and its cells


def read(files: Files, target: Target, problems: list[Problem]) -> list[GivenAnswers]:
    values = Values(target.protocol)
    found: list[GivenAnswers] = []
    for name, content in files.items():
        rows = (
            json_objects(name, content, problems, 'every line is an object with "unit", "annotator" and answers')
            if name.lower().endswith(_JSON)
            else _csv_rows(name, content, problems)
        )
        unknown: set[str] = set()
        for where, row in rows:
            given = _given(where, row, target, values, unknown, problems)
            if given is not None:
                found.append(given)
    return found


def _given(
    where: str, row: Mapping[str, Any], target: Target, values: Values, unknown: set[str], problems: list[Problem]
) -> GivenAnswers | None:
    cells = dict(row)
    if isinstance(cells.get(ANSWERS), Mapping) and not values.knows(ANSWERS):
        cells |= cells.pop(ANSWERS)
    if target.question is not None and target.question not in cells and ANSWER in cells:
        cells[target.question] = cells.pop(ANSWER)
    names = {key: str(cells.pop(key, None) or "").strip() for key in (UNIT, ANNOTATOR)}
    for key, name in names.items():
        if not name:
            problems.append(Problem(where, f"{key} is empty", "say whose answer to which unit it is", key))
    cells = {target.renamed.question(key): value for key, value in cells.items()}
    facts = {key: cells.pop(key) for key in (SECONDS, TIME, KIND) if key in cells and not values.knows(key)}
    for key in cells:
        if key not in unknown and key not in target.leave_out and not values.knows(key):
            unknown.add(key)
            problems.append(_unknown(where, key, target))
    if not all(names.values()):
        return None
    seconds, time = _seconds(facts.get(SECONDS), where, problems), _time(facts.get(TIME), where, problems)
    kind = _kind(facts.get(KIND), where, problems)
    widened = 0
    if target.counted is not None and names[UNIT] in target.units:
        try:
            widened = _recount(cells, names[UNIT], target)
        except GoldmarkError as error:
            problems.append(Problem(where, str(error)))
    return GivenAnswers(where, names[UNIT], names[ANNOTATOR], cells, seconds, time, widened=widened, kind=kind)


def _unknown(where: str, key: str, target: Target) -> Problem:
    near = did_you_mean(key, [one.id for one in target.protocol.questions()])
    remedy = f"{near + '; ' if near else ''}name it after its question, or leave it out with --leave-out {key}"
    return Problem(where, f"{key!r} is no question of {target.protocol.id}", remedy, key)


def _recount(cells: dict[str, Any], unit: str, target: Target) -> int:
    """Marks whose positions count something else than their question does, put where they belong."""
    widened = 0
    for question in marking(target.protocol):
        marks, text = in_json(cells.get(question.id)), target.text_of(unit, question)
        if isinstance(marks, list) and text is not None and target.counted:
            placing = Placing(text, target.counted, text, question.by)
            cells[question.id] = [placing.move(one) if isinstance(one, Mapping) else one for one in marks]
            widened += placing.widened
    return widened


def _seconds(value: object, where: str, problems: list[Problem]) -> float | None:
    if value is None or value == "":
        return None
    try:
        seconds = float(str(value))
        if 0 <= seconds < float("inf"):
            return seconds
    except ValueError:
        pass
    problems.append(Problem(where, f"{SECONDS} is {str(value)[:40]!r}", "write a number of seconds", SECONDS))
    return None


def _kind(value: object, where: str, problems: list[Problem]) -> str:
    kind = str(value or "").strip().lower()
    if kind and kind not in ANNOTATOR_KINDS:
        what = f"{KIND} is {str(value)[:40]!r}"
        problems.append(Problem(where, what, f"an annotator is one of {', '.join(ANNOTATOR_KINDS)}", KIND))
        return ""
    return kind


def _time(value: object, where: str, problems: list[Problem]) -> datetime | None:
    """A time as ISO 8601 writes it; one that names no zone is taken to be UTC."""
    if value is None or value == "":
        return None
    try:
        time = datetime.fromisoformat(str(value).strip())
        return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
    except (ValueError, OverflowError):
        remedy = "write it as 2026-11-16T12:00:00Z"
        problems.append(Problem(where, f"{TIME} is {str(value)[:40]!r}", remedy, TIME))
        return None


def _csv_rows(name: str, content: bytes, problems: list[Problem]) -> Iterator[_Row]:
    text = decode(content.removeprefix(b"\xef\xbb\xbf"), name, problems)
    if text is None:
        return
    csv.field_size_limit(CELL_LIMIT)
    header_line = text.partition("\n")[0]
    separator = next((mark for mark in ("\t", ",", ";") if mark in header_line), ",")
    reader = csv.reader(lines_of(text), delimiter=separator)
    try:
        header = [cell.strip() for cell in next(reader, [])]
        if not _usable(header, name, problems):
            return
        line = reader.line_num + 1
        for cells in reader:
            if len(cells) == len(header):
                yield f"{name}:{line}", dict(zip(header, map(restore, cells), strict=True))
            elif cells:
                what = f"{len(cells)} cells for {len(header)} columns"
                problems.append(Problem(f"{name}:{line}", what, f'put cells that hold "{separator}" in quotes'))
            line = reader.line_num + 1
    except csv.Error as error:
        problems.append(Problem(f"{name}:{reader.line_num}", f"the file is not CSV: {error}"))


def _usable(header: list[str], name: str, problems: list[Problem]) -> bool:
    missing = [column for column in (UNIT, ANNOTATOR) if column not in header]
    twice = sorted({column for column in header if header.count(column) > 1})
    if missing:
        found = f"the file has {', '.join(header)}" if any(header) else "the file is empty"
        remedy = "the first line names unit, annotator and questions; for files of other tools say --format"
        problems.append(Problem(f"{name}:1", f"no column {' and '.join(missing)}; {found}", remedy))
    problems += (Problem(f"{name}:1", f"column {column!r} stands there twice") for column in twice)
    return not missing and not twice


_TABLES = "what counts, a table for each kind of answer"
TIDY = Format("tidy", f"{_TABLES}; read: a row for each unit and annotator", answers=read, tables="csv")
TIDY_PARQUET = Format("tidy-parquet", f"{_TABLES}, typed", tables="parquet")
