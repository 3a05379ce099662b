"""A campaign as nine kinds of rows with typed columns: what JSONL, CSV and Parquet all write, each in its own way."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, NamedTuple

import orjson

from goldmark.errors import GoldmarkError
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
from goldmark.records.units import Unit
from goldmark.texts.segmentation.text import check_characters

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
    plain: bool = False  # every character of it is known to be one that can be kept


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


class WrittenJson(str):
    """JSON as `write_json` would write it."""

    __slots__ = ()


class UnitRow(NamedTuple):
    """A unit as it is written: what is shown is JSON already, and may be written."""

    id: str
    shown: Mapping[str, Any] | WrittenJson
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
        written = _ENCODER.encode(value)
        check_characters(written, "the record")
    except (TypeError, ValueError, RecursionError) as error:
        raise CannotExport(reason=str(error)) from error
    return written


# Whether anything holds itself need not be looked for: what came from JSON does not, and all else nests too deeply.
_ENCODER = json.JSONEncoder(
    ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False, check_circular=False
)


def write_time(time: datetime | None) -> str | None:
    return None if time is None else time.replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


def read_time(value: str) -> datetime:
    time = datetime.fromisoformat(value)
    if time.tzinfo is None:
        raise ValueError(f"the time {value} does not say its zone")
    return time


def read_json(text: str) -> Any:
    """What JSON says, whole numbers of any length exactly: the quick reader would make large ones less exact."""
    if not has_long_number(text.encode(errors="replace")):
        try:
            return orjson.loads(text)
        except ValueError:
            pass  # the other one says better what is wrong, or reads it after all
    return json.loads(text)


def has_long_number(written: bytes) -> bool:
    """Whether so many digits stand together anywhere that they may be a number which the quick reader cannot hold."""
    # Digits as one digit and all else as none: a run of them is then found ten times as fast as by an expression.
    return _LONG_NUMBER in written.translate(_DIGITS)


_DIGITS = bytes(ord("0") if chr(one) in "0123456789" else ord(" ") for one in range(256))
_LONG_NUMBER = b"0" * 19
