"""A campaign as nine kinds of rows with typed columns: what JSONL, CSV and Parquet all write, each in its own way."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal, NamedTuple, TypeVar

from goldmark.errors import GoldmarkError, Problem, ProblemsFound
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
from goldmark.records.units import ShownUnit, Unit
from goldmark.texts.segmentation.text import check_characters, check_characters_in, check_text

FORMAT_VERSION = 1

Type = Literal["text", "integer", "number", "truth", "time", "json"]
COLUMNS: dict[str, dict[str, Type]] = {
    "campaign": {"format": "integer", "protocol": "text", "settings": "json"},
    "protocol": {"name": "text", "version": "integer", "source": "text"},
    "unit": {"id": "text", "shown": "json", "tokenisers": "json", "hidden": "json"},
    "annotator": {"id": "text", "state": "text", "joined": "time", "facts": "json"},
    "assignment": {
        "unit": "text",
        "annotator": "text",
        "state": "text",
        "claimed": "time",
        "finished": "time",
        "facts": "json",
    },
    "response": {
        "unit": "text",
        "annotator": "text",
        "revision": "integer",
        "final": "truth",
        "protocol": "text",
        "client_key": "text",
        "client_time": "time",
        "server_time": "time",
        "seconds_active": "number",
        "language": "text",
        "answers": "json",
    },
    "event": {"at": "time", "author": "text", "kind": "text", "subject": "text", "reason": "text", "facts": "json"},
    "curation": {
        "unit": "text",
        "question": "text",
        "number": "integer",
        "kind": "text",
        "facts": "json",
        "reason": "text",
        "author": "text",
        "at": "time",
    },
    "gold": {
        "unit": "text",
        "question": "text",
        "version": "integer",
        "steps": "integer",
        "gold": "json",
        "author": "text",
        "at": "time",
    },
}
# Columns that campaigns of earlier versions do not have, and what is read instead.
ADDED: dict[str, dict[str, Any]] = {"response": {"language": ""}}
_MAY_BE_EMPTY: frozenset[Type] = frozenset(("time", "number"))
_T = TypeVar("_T")
Row = tuple[str, dict[str, Any]]  # its kind, and its values by column


class CannotExport(GoldmarkError):
    code = "EXCHANGE-01"
    message = "the campaign cannot be written: {reason}"


@dataclass(frozen=True)
class Located:
    """A row that was read: its kind, its values (times and JSON already read), and where it stood."""

    kind: str
    where: str
    values: Mapping[str, Any]


@dataclass(frozen=True)
class CampaignInOrder:
    """A campaign to be written, every part in its one order and gone through once: whoever has it may have it from a
    database, a few rows at a time."""

    settings: Mapping[str, Any]
    protocol: str
    protocols: Iterable[ProtocolRecord]
    units: Iterable[UnitRow]
    annotators: Iterable[AnnotatorRecord]
    assignments: Iterable[AssignmentRecord]
    responses: Iterable[ResponseRecord]
    events: Iterable[EventRecord]
    curation: Iterable[CurationStepRecord]
    gold_versions: Iterable[GoldVersionRecord]


class UnitRow(NamedTuple):
    """A unit as it is written: what is shown is JSON already."""

    id: str
    shown: Mapping[str, Any]
    tokenisers: Mapping[str, str]
    hidden: Mapping[str, Any]


def rows_of(record: CampaignRecord) -> Iterator[Row]:
    """Every row of a campaign with its kind, in the one order in which a campaign is always written."""
    place = {unit.id: position for position, unit in enumerate(record.units)}

    def at(one: Any, *keys: str) -> tuple[Any, ...]:
        return place.get(one.unit, -1), *(getattr(one, key) for key in keys)

    return rows_in_order(
        CampaignInOrder(
            record.settings,
            record.protocol,
            record.protocols,
            map(_unit_row, record.units),
            sorted(record.annotators, key=lambda one: one.id),
            sorted(record.assignments, key=lambda one: at(one, "annotator")),
            sorted(record.responses, key=lambda one: at(one, "annotator", "revision")),
            sorted(record.events, key=lambda one: one.at),
            sorted(record.curation, key=lambda one: at(one, "question", "number")),
            sorted(record.gold_versions, key=lambda one: at(one, "question", "version")),
        )
    )


def rows_in_order(campaign: CampaignInOrder) -> Iterator[Row]:
    """The same of a campaign whose parts are in order."""
    yield (
        "campaign",
        {"format": FORMAT_VERSION, "protocol": campaign.protocol, "settings": dict(campaign.settings)},
    )
    for protocol in sorted(campaign.protocols, key=lambda one: (one.name, one.version)):
        yield "protocol", {"name": protocol.name, "version": protocol.version, "source": protocol.source}
    for unit in campaign.units:
        yield "unit", unit._asdict()
    parts: tuple[tuple[str, Iterable[object]], ...] = (
        ("annotator", campaign.annotators),
        ("assignment", campaign.assignments),
        ("response", campaign.responses),
        ("event", campaign.events),
        ("curation", campaign.curation),
        ("gold", campaign.gold_versions),
    )
    for kind, some in parts:
        for one in some:
            yield kind, _fields(one, kind)


def _unit_row(unit: Unit) -> UnitRow:
    tokenisers = {role: shown.text.tokeniser for role, shown in unit.shown.texts.items()}
    return UnitRow(unit.id, unit.shown.to_json(), tokenisers, dict(unit.hidden))


def _fields(record: object, kind: str) -> dict[str, Any]:
    values = {name: getattr(record, name) for name in COLUMNS[kind]}
    for name, value in values.items():
        if isinstance(value, Mapping):
            values[name] = dict(value)
        elif COLUMNS[kind][name] == "number" and value is not None:
            values[name] = float(value)  # 3 and 3.0 are one number, and must be written alike
    return values


def write_json(value: object) -> str:
    """JSON in one line, keys sorted, so that equal values are equal text."""
    try:
        written = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
        check_characters(written, "the record")
    except (TypeError, ValueError, RecursionError) as error:
        raise CannotExport(reason=str(error)) from error
    return written


def write_time(time: datetime | None) -> str | None:
    return None if time is None else time.replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


def read_time(value: str) -> datetime:
    time = datetime.fromisoformat(value)
    if time.tzinfo is None:
        raise ValueError(f"the time {value} does not say its zone")
    return time


@dataclass
class _RowsRead:
    """What has been read so far, and what was wrong with it."""

    campaign: Mapping[str, Any] | None = None
    protocols: dict[str, ProtocolRecord] = field(default_factory=dict)
    units: dict[str, Unit] = field(default_factory=dict)
    annotators: dict[str, AnnotatorRecord] = field(default_factory=dict)
    assignments: dict[tuple[str, str], AssignmentRecord] = field(default_factory=dict)
    responses: dict[tuple[str, str, int], ResponseRecord] = field(default_factory=dict)
    finals: dict[tuple[str, str], str] = field(default_factory=dict)
    events: list[EventRecord] = field(default_factory=list)
    curation: dict[tuple[str, str, int], CurationStepRecord] = field(default_factory=dict)
    gold_versions: dict[tuple[str, str, int], GoldVersionRecord] = field(default_factory=dict)


def record_of(rows: Iterable[Located], problems: list[Problem]) -> CampaignRecord:
    """The campaign of these rows; raises `ProblemsFound` with all that is wrong, and with what was wrong before."""
    gathered = _RowsRead()
    for row in _named_first(rows):
        try:
            row = replace(row, values={**ADDED.get(row.kind, {}), **row.values})
            _check_types(row)
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
        units=tuple(gathered.units.values()),
        annotators=tuple(gathered.annotators.values()),
        assignments=tuple(gathered.assignments.values()),
        responses=tuple(gathered.responses.values()),
        events=tuple(gathered.events),
        curation=tuple(gathered.curation.values()),
        gold_versions=tuple(gathered.gold_versions.values()),
    )


def _named_first(rows: Iterable[Located]) -> Iterator[Located]:
    """What other rows name before those that name it. Nothing is kept of a unit's row once it is taken: as it was read,
    it takes ten times the memory of the unit."""
    naming: list[Located] = []
    for row in rows:
        if row.kind in _NAMING_NOTHING:
            yield row
        else:
            naming.append(row)
    yield from sorted(naming, key=lambda row: list(COLUMNS).index(row.kind))


_NAMING_NOTHING = frozenset({"campaign", "protocol", "unit", "annotator"})


class BadValue(GoldmarkError):
    code = "EXCHANGE-02"
    message = '"{column}" {trouble}'


_PYTHON: dict[Type, type | tuple[type, ...]] = {
    "text": str,
    "integer": int,
    "number": (int, float),
    "truth": bool,
    "time": datetime,
    "json": dict,
}


def _check_types(row: Located) -> None:
    unknown = sorted(set(row.values) - set(COLUMNS[row.kind]))
    if unknown:
        raise BadValue(column=unknown[0], trouble=f"is no column of a row of the kind {row.kind}")
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
        if kind in ("text", "json"):
            check_characters_in(value, f'"{column}"')


def _take_campaign(gathered: _RowsRead, row: Located) -> None:
    if gathered.campaign is not None:
        raise BadValue(column="campaign", trouble="occurs twice; one file holds one campaign")
    if row.values["format"] != FORMAT_VERSION:
        raise BadValue(column="format", trouble=f"is {row.values['format']}; this version reads {FORMAT_VERSION}")
    gathered.campaign = row.values


def _take_protocol(gathered: _RowsRead, row: Located) -> None:
    protocol = ProtocolRecord(**row.values)
    _once(gathered.protocols, protocol.id, protocol, f"protocol {protocol.id}")


def _take_unit(gathered: _RowsRead, row: Located) -> None:
    values = row.values
    unit = Unit(
        values["id"],
        ShownUnit.from_json(values["shown"], id=values["id"], tokenisers=values["tokenisers"]),
        values["hidden"],
    )
    for shown in unit.shown.texts.values():
        check_text(shown.text)
    _once(gathered.units, unit.id, unit, f'unit "{unit.id}"')


def _take_annotator(gathered: _RowsRead, row: Located) -> None:
    annotator = AnnotatorRecord(**row.values)
    _once(gathered.annotators, annotator.id, annotator, f'annotator "{annotator.id}"')


def _take_assignment(gathered: _RowsRead, row: Located) -> None:
    assignment = AssignmentRecord(**row.values)
    if assignment.unit not in gathered.units:
        raise BadValue(column="unit", trouble=f'names the unit "{assignment.unit}", which is not there')
    if assignment.annotator not in gathered.annotators:
        raise BadValue(column="annotator", trouble=f'names "{assignment.annotator}", who is not there')
    key = (assignment.unit, assignment.annotator)
    _once(gathered.assignments, key, assignment, f'the assignment of "{key[0]}" to "{key[1]}"')


def _take_response(gathered: _RowsRead, row: Located) -> None:
    response = ResponseRecord(**row.values)
    key = (response.unit, response.annotator)
    if key not in gathered.assignments:
        raise BadValue(column="unit", trouble=f'"{key[0]}" was not assigned to "{key[1]}"')
    _once(gathered.responses, (*key, response.revision), response, f"revision {response.revision} of {key}")
    if response.final:
        _once(gathered.finals, key, row.where, f'a final response of "{key[1]}" to "{key[0]}"')


def _take_event(gathered: _RowsRead, row: Located) -> None:
    if row.values["at"] is None:
        raise BadValue(column="at", trouble="is empty")
    gathered.events.append(EventRecord(**row.values))


def _take_curation(gathered: _RowsRead, row: Located) -> None:
    step = CurationStepRecord(**_of_a_unit(gathered, row))
    _once(gathered.curation, (step.unit, step.question, step.number), step, f'step {step.number} on "{step.unit}"')


def _take_gold(gathered: _RowsRead, row: Located) -> None:
    gold = GoldVersionRecord(**_of_a_unit(gathered, row))
    what = f'version {gold.version} of the gold list of "{gold.unit}"'
    _once(gathered.gold_versions, (gold.unit, gold.question, gold.version), gold, what)


def _of_a_unit(gathered: _RowsRead, row: Located) -> Mapping[str, Any]:
    """What a curator did to a unit that there is, at a time that is known."""
    if row.values["at"] is None:
        raise BadValue(column="at", trouble="is empty")
    if row.values["unit"] not in gathered.units:
        raise BadValue(column="unit", trouble=f'names the unit "{row.values["unit"]}", which is not there')
    return row.values


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


def _once(known: dict[Any, _T], key: object, value: _T, what: str) -> None:
    if key in known:
        raise BadValue(column=what, trouble="occurs twice")
    known[key] = value
