"""Rows that were read become a campaign's record: each is looked at by itself and beside those that it names."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import chain, count
from typing import Any, Protocol, TypeVar

import orjson

from goldmark.errors import GoldmarkError, Problem, ProblemsFound
from goldmark.exchange.campaign.rows import ADDED, COLUMNS, FORMAT_VERSION, Located, Type
from goldmark.exchange.campaign.unit_json import packed_unit
from goldmark.records.campaigns import (
    AnnotatorRecord,
    AssignmentRecord,
    CampaignRecord,
    CurationStepRecord,
    EventRecord,
    GoldVersionRecord,
    ProtocolRecord,
    ResponseRecord,
)
from goldmark.records.spooled.records import Spooled
from goldmark.records.spooled.units import SpooledUnits
from goldmark.records.units import ShownText, ShownUnit, Unit, context_to_json
from goldmark.texts.segmentation.text import check_characters_in, check_text

_MAY_BE_EMPTY: frozenset[Type] = frozenset(("time", "number"))
_T = TypeVar("_T")


class RecordKeeper(Protocol[_T]):
    """Records on their way into a campaign's record, each under a key."""

    def add(self, key: str, record: _T) -> bool: ...
    def knows(self, key: str) -> bool: ...
    def all(self) -> Sequence[_T]: ...


class _InMemory(dict[str, _T]):
    def add(self, key: str, record: _T) -> bool:
        if key in self:
            return False
        self[key] = record
        return True

    def knows(self, key: str) -> bool:
        return key in self

    def all(self) -> Sequence[_T]:
        return tuple(self.values())


class _RowsRead:
    """What has been read so far; it waits in memory, or in files of which little is in memory."""

    def __init__(self, *, spooled: bool) -> None:
        kept: Callable[[], RecordKeeper[Any]] = Spooled if spooled else _InMemory
        self.numbers = count()
        self.campaign: Mapping[str, Any] | None = None
        self.protocols: dict[str, ProtocolRecord] = {}
        self.units: RecordKeeper[Unit] = SpooledUnits() if spooled else kept()
        self.annotators: dict[str, AnnotatorRecord] = {}
        self.assignments: RecordKeeper[AssignmentRecord] = kept()
        self.responses: RecordKeeper[ResponseRecord] = kept()
        self.finals: RecordKeeper[bool] = kept()
        self.events: RecordKeeper[EventRecord] = kept()
        self.curation: RecordKeeper[CurationStepRecord] = kept()
        self.gold_versions: RecordKeeper[GoldVersionRecord] = kept()


def record_of(rows: Iterable[Located], problems: list[Problem], *, spooled: bool = False) -> CampaignRecord:
    """The campaign of these rows; raises `ProblemsFound` with all that is wrong, and with what was wrong before.

    Of a campaign of any size hardly more than a row is in memory if it is to be `spooled`.
    """
    gathered = _RowsRead(spooled=spooled)
    early: dict[str, Spooled[Located]] = {}  # rows that stand before those that they name
    for row in rows:
        try:
            if row.kind in ADDED:
                row = replace(row, values={**ADDED[row.kind], **row.values})
            _check_types(row)
            _TAKE[row.kind](gathered, row)
        except _NotThere:
            waiting = early.setdefault(row.kind, Spooled())
            waiting.add(str(len(waiting)), row)
        except GoldmarkError as error:
            problems.append(Problem(row.where, str(error)))
    for row in chain.from_iterable(early[kind] for kind in COLUMNS if kind in early):
        try:
            _TAKE[row.kind](gathered, row)
        except GoldmarkError as error:
            problems.append(Problem(row.where, str(error)))
    if gathered.campaign is None and not problems:
        problems.append(Problem("the import", "it has no row of the kind campaign", "is the file complete?"))
    if problems:
        raise ProblemsFound(problems, "nothing was imported")
    campaign = gathered.campaign or {}
    return CampaignRecord(
        settings=campaign["settings"],
        protocol=campaign["protocol"],
        protocols=tuple(gathered.protocols.values()),
        units=gathered.units.all(),
        annotators=tuple(gathered.annotators.values()),
        assignments=gathered.assignments.all(),
        responses=gathered.responses.all(),
        events=gathered.events.all(),
        curation=gathered.curation.all(),
        gold_versions=gathered.gold_versions.all(),
    )


class BadValue(GoldmarkError):
    code = "EXCHANGE-02"
    message = '"{column}" {trouble}'


class _NotThere(BadValue):
    """It names what is not there, or not there yet."""


_PYTHON: dict[Type, type | tuple[type, ...]] = {
    "text": str,
    "integer": int,
    "number": (int, float),
    "truth": bool,
    "time": datetime,
    "json": dict,
}


def _check_types(row: Located) -> None:
    unknown = row.values.keys() - COLUMNS[row.kind].keys()
    if unknown:
        raise BadValue(column=min(unknown), trouble=f"is no column of a row of the kind {row.kind}")
    for column, kind in COLUMNS[row.kind].items():
        value = row.values.get(column)
        if column not in row.values:
            raise BadValue(column=column, trouble="is missing")
        if value is None and kind in _MAY_BE_EMPTY:
            continue
        wrong_truth = isinstance(value, bool) and kind != "truth"
        if wrong_truth or not isinstance(value, _PYTHON[kind]):
            raise BadValue(column=column, trouble=f"should be {kind}, and is {str(value)[:40]!r}")
        if kind == "number" and not math.isfinite(value):  # type: ignore[arg-type]
            raise BadValue(column=column, trouble="is no finite number")
        if not row.plain and (kind == "text" or (kind == "json" and column != "shown")):  # that is looked at later
            check_characters_in(value, f'"{column}"')


def _take_campaign(gathered: _RowsRead, row: Located) -> None:
    if gathered.campaign is not None:
        raise BadValue(column="campaign", trouble="occurs twice; one file holds one campaign")
    if row.values["format"] != FORMAT_VERSION:
        raise BadValue(column="format", trouble=f"is {row.values['format']}; this version reads {FORMAT_VERSION}")
    gathered.campaign = row.values


def _take_protocol(gathered: _RowsRead, row: Located) -> None:
    protocol = ProtocolRecord(**row.values)
    if gathered.protocols.setdefault(protocol.id, protocol) is not protocol:
        raise _twice(f"protocol {protocol.id}")


def _take_unit(gathered: _RowsRead, row: Located) -> None:
    values = row.values
    if row.plain and isinstance(gathered.units, SpooledUnits):
        packed = packed_unit(values)
        if packed is not None:
            if not gathered.units.add_packed(values["id"], packed):
                raise _twice(f'unit "{values["id"]}"')
            return
    shown = ShownUnit.from_json(values["shown"], id=values["id"], tokenisers=values["tokenisers"])
    for one in shown.texts.values():
        check_text(one.text)
    check_characters_in([context_to_json(item) for item in shown.context], '"shown"')
    check_characters_in([[role, _words_on(one)] for role, one in shown.texts.items()], '"shown"')
    if not gathered.units.add(values["id"], Unit(values["id"], shown, values["hidden"])):
        raise _twice(f'unit "{values["id"]}"')


def _words_on(shown: ShownText) -> list[Any]:
    """What stands in a text beside its characters."""
    return [shown.language, *(mark.label for mark in shown.given), *(mark.to_json() for mark in shown.suggested)]


def _take_annotator(gathered: _RowsRead, row: Located) -> None:
    annotator = AnnotatorRecord(**row.values)
    if gathered.annotators.setdefault(annotator.id, annotator) is not annotator:
        raise _twice(f'annotator "{annotator.id}"')


def _take_assignment(gathered: _RowsRead, row: Located) -> None:
    assignment = AssignmentRecord(**row.values)
    if not gathered.units.knows(assignment.unit):
        raise _NotThere(column="unit", trouble=f'names the unit "{assignment.unit}", which is not there')
    if assignment.annotator not in gathered.annotators:
        raise _NotThere(column="annotator", trouble=f'names "{assignment.annotator}", who is not there')
    if not gathered.assignments.add(key_of(assignment.unit, assignment.annotator), assignment):
        raise _twice(f'the assignment of "{assignment.unit}" to "{assignment.annotator}"')


def _take_response(gathered: _RowsRead, row: Located) -> None:
    response = ResponseRecord(**row.values)
    unit, annotator = response.unit, response.annotator
    if not gathered.assignments.knows(key_of(unit, annotator)):
        raise _NotThere(column="unit", trouble=f'"{unit}" was not assigned to "{annotator}"')
    if not gathered.responses.add(key_of(unit, annotator, response.revision), response):
        raise _twice(f"revision {response.revision} of {(unit, annotator)}")
    if response.final and not gathered.finals.add(key_of(unit, annotator), True):
        raise _twice(f'a final response of "{annotator}" to "{unit}"')


def _take_event(gathered: _RowsRead, row: Located) -> None:
    if row.values["at"] is None:
        raise BadValue(column="at", trouble="is empty")
    gathered.events.add(str(next(gathered.numbers)), EventRecord(**row.values))


def _take_curation(gathered: _RowsRead, row: Located) -> None:
    step = CurationStepRecord(**_of_a_unit(gathered, row))
    if not gathered.curation.add(key_of(step.unit, step.question, step.number), step):
        raise _twice(f'step {step.number} on "{step.unit}"')


def _take_gold(gathered: _RowsRead, row: Located) -> None:
    gold = GoldVersionRecord(**_of_a_unit(gathered, row))
    if not gathered.gold_versions.add(key_of(gold.unit, gold.question, gold.version), gold):
        raise _twice(f'version {gold.version} of the gold list of "{gold.unit}"')


def _of_a_unit(gathered: _RowsRead, row: Located) -> Mapping[str, Any]:
    """What a curator did to a unit that there is, at a time that is known."""
    if row.values["at"] is None:
        raise BadValue(column="at", trouble="is empty")
    if not gathered.units.knows(row.values["unit"]):
        raise _NotThere(column="unit", trouble=f'names the unit "{row.values["unit"]}", which is not there')
    return row.values


def key_of(*parts: str | int) -> str:
    """One text for several, which no others give."""
    return orjson.dumps(parts).decode()


def _twice(what: str) -> BadValue:
    return BadValue(column=what, trouble="occurs twice")


_TAKE: dict[str, Callable[[_RowsRead, Located], None]] = {
    "campaign": _take_campaign,
    "protocol": _take_protocol,
    "unit": _take_unit,
    "annotator": _take_annotator,
    "assignment": _take_assignment,
    "response": _take_response,
    "event": _take_event,
    "curation": _take_curation,
    "gold": _take_gold,
}
