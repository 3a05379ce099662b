"""A campaign record into the database: an exported campaign again, or finished work from another tool."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from pathlib import Path

import orjson

from goldmark.campaigns.arrival import arriving
from goldmark.campaigns.lifecycle import (
    CampaignRow,
)
from goldmark.campaigns.told import Tell, told_to_nobody
from goldmark.campaigns.transfer.completeness import NOTHING_IMPORTED, AnswerCheck, Findings, told_once
from goldmark.campaigns.transfer.insert_record import RecordInsertion
from goldmark.campaigns.transfer.training_records import unreadable_training
from goldmark.errors import Problem, ProblemsFound
from goldmark.exchange.responses.from_campaign import carried
from goldmark.exchange.responses.given import Target
from goldmark.exchange.responses.renamed import SAME_NAMES, Renamed, suggested
from goldmark.exchange.responses.values import Values, with_silence
from goldmark.protocols import Protocol, load, parse, tidied
from goldmark.records.campaigns import CampaignRecord, ProtocolRecord, ResponseRecord
from goldmark.records.spooled.units import PackedUnit, SpooledUnits
from goldmark.records.units import Surface
from goldmark.store import Store
from goldmark.store.pieces import SMALL
from goldmark.texts.segmentation.text import TextTooLong, check_lengths, longest_text

# What a review in an assignment's facts holds.
REVIEW = {"revision": int, "verdict": str, "comment": str, "remarks": list, "reviewer": str, "at": str}
REMARK = {"where", "part", "comment"}
REPLY = {"revision": int, "reply": str}


def read_record(
    path: Path,
    format_name: str,
    protocol: Protocol | None = None,
    *,
    name: str | None = None,
    text: str | None = None,
    names: Renamed = SAME_NAMES,
    spooled: bool = False,
) -> CampaignRecord:
    """A campaign in a file: as it was exported, or what another tool wrote, completed by what was asked.

    If it is to be `spooled` and its format is read row by row, little of it is in memory, however large it is.
    """
    from goldmark.exchange.formats import FORMATS, import_campaign, spool_campaign

    found = FORMATS.find(format_name)
    if spooled and text is None and found.read_rows is not None:
        record = spool_campaign(path, format_name)
    else:
        record = import_campaign(path, format_name, text=text)
    usual = found.protocol
    if protocol is None and usual:
        protocol = load(usual)
    if protocol is None and record.settings:
        return record
    # What another tool wrote: texts and answers only.
    return completed(record, protocol, name=name or path.stem, names=names)


def completed(
    record: CampaignRecord,
    protocol: Protocol | None = None,
    *,
    name: str,
    title: str = "",
    names: Renamed = SAME_NAMES,
) -> CampaignRecord:
    """What another tool knows, texts and answers only, as a finished campaign of this protocol, or of its own.

    Its answers are read the way the protocol stores them: labels and options by their titles, too, and marks in tokens
    or characters, whichever its question counts. Tools keep no mark for "nothing is marked": an answer without spans,
    where the protocol lets people mark none, says that there is nothing to mark. `names` says what is called otherwise.
    """
    asked = protocol or _own_protocol(record)
    if asked is None:
        return record
    target = Target(asked, {one.id: one.shown for one in record.units}, renamed=names)
    problems: list[Problem] = []
    given = {(one.unit, one.annotator): names.answers(one.answers) for one in carried(record, target, problems)}
    if problems:
        raise ProblemsFound(told_once(problems, "answers"), consequence=NOTHING_IMPORTED)
    values = Values(asked)
    labels = Counter(one.unit for one in record.assignments)
    return replace(
        record,
        settings={
            "campaign": name,
            "title": title or name,
            "state": "closed",
            "labels_per_unit": max(labels.values(), default=1),
        },
        protocol=asked.id,
        protocols=(ProtocolRecord(asked.name, asked.version, asked.source),),
        responses=tuple(
            replace(
                one,
                protocol=asked.id,
                answers=with_silence(asked, values.read(given.get((one.unit, one.annotator), one.answers))),
            )
            for one in record.responses
        ),
    )


def _names_meant(record: CampaignRecord) -> Renamed:
    """What names of the record that its protocol does not have probably mean."""
    asked = _own_protocol(record)
    return Renamed() if asked is None else suggested((one.answers for one in record.responses), asked)


def _own_protocol(record: CampaignRecord) -> Protocol | None:
    found = next((one for one in record.protocols if one.id == record.protocol), None)
    return None if found is None else parse(found.source, file=found.id)


def restore(
    store: Store,
    record: CampaignRecord,
    *,
    name: str | None = None,
    author: str,
    keep_incomplete: bool = False,
    tell: Tell = told_to_nobody,
) -> CampaignRow:
    """The campaign in this record, with everything in it or not at all. Links are new: the old ones open nothing.

    Answers are held to the protocol like any other, unless `keep_incomplete` says that older work is to be kept as it
    is, such as a mistake without the correction that the protocol asks for. What cannot be placed is never kept.
    """
    units = UnitsOf(record)
    malformed = [
        *_too_long(units),
        *_malformed_reviews(record),
        *_unknown_orders(record, units),
        *unreadable_training(record),
    ]
    if malformed:
        raise ProblemsFound(malformed, consequence="nothing was imported")
    tidy = _Tidy(record)
    found = _checked(record, units, tidy)
    found.refuse(keep_incomplete=keep_incomplete, noun="answers", names=lambda: _names_meant(record))

    parts = (record.units, record.assignments, record.responses, record.events, record.curation, record.gold_versions)
    return arriving(
        store,
        lambda coming: RecordInsertion(coming, record, units.all, tidy, name, tell).run(author, len(found.problems)),
        large=sum(map(len, parts)) > SMALL,
    )


class UnitsOf:
    """The units of a record, found by name; what an answer can refer to is read when it is asked for."""

    def __init__(self, record: CampaignRecord) -> None:
        self.all = SpooledUnits.of(record.units)
        self.surface = lru_cache(maxsize=64)(self._surface)  # answers to a unit stand together

    def _surface(self, name: str) -> Surface | None:
        found = self.all.one_packed(name)
        return None if found is None else Surface.from_json(orjson.loads(found.shown))


class _Tidy:
    """A response of a record with its answers as they are kept; drafts stay as they were typed."""

    def __init__(self, record: CampaignRecord) -> None:
        self._protocols = {one.id: parse(one.source, file=one.id) for one in record.protocols}
        self._usual = record.protocol

    def __call__(self, one: ResponseRecord) -> ResponseRecord:
        asked = self._protocols.get(one.protocol or self._usual)
        return one if asked is None else replace(one, answers=tidied(asked, one.answers))


def _checked(record: CampaignRecord, units: UnitsOf, tidy: _Tidy) -> Findings:
    """What the record's own protocols would refuse of its answers."""
    checks = {one.id: AnswerCheck(parse(one.source, file=one.id)) for one in record.protocols}
    found = Findings.none()
    if record.protocol not in checks:
        what = f"the protocol {record.protocol!r} is not in the record" if record.protocol else "no protocol is in it"
        found.add(Problem("campaign", what, "say with --protocol what was asked"))
        return found
    for one in record.responses:
        check, shown = checks.get(one.protocol or record.protocol), units.surface(one.unit)
        where = f"response of {one.annotator} to {one.unit}, revision {one.revision}"
        if check is None or shown is None:
            found.add(Problem(where, "its protocol or its unit is not in the record"))
        else:
            found.add_all(check.check(tidy(one).answers, shown), where)
    return found


def _too_long(units: UnitsOf) -> Iterator[Problem]:
    """Texts, context and facts beyond what any other way in would take."""
    # No text has more characters than the JSON that holds it has bytes.
    for one in map(PackedUnit.of, units.all.larger(longest_text())):
        try:
            check_lengths(orjson.loads(one.shown), one.hidden)
        except TextTooLong as error:
            yield Problem(f'unit "{one.id}"', str(error))


def _malformed_reviews(record: CampaignRecord) -> Iterator[Problem]:
    """Reviews that nobody can read: they are facts of an assignment, which a file may hold in any shape."""
    for held in record.assignments:
        said = held.facts.get("reviews", [])
        where = f"assignment of {held.unit} to {held.annotator}"
        if not isinstance(said, list):
            yield Problem(where, "its reviews are no list", part="reviews")
            continue
        for one in said:
            wrong = not isinstance(one, dict) or {key: type(value) for key, value in one.items()} != REVIEW
            if (
                wrong
                or one["verdict"] not in ("approved", "returned")
                or not _is_time(one["at"])
                or any(not isinstance(remark, dict) or set(remark) != REMARK for remark in one["remarks"])
            ):
                yield Problem(where, f"a review cannot be read: {str(one)[:80]}", part="reviews")
        replies = held.facts.get("replies", [])
        for one in replies if isinstance(replies, list) else [replies]:
            if not isinstance(one, dict) or {key: type(value) for key, value in one.items()} != REPLY:
                yield Problem(where, f"a reply to a reviewer cannot be read: {str(one)[:80]}", part="replies")


def _unknown_orders(record: CampaignRecord, units: UnitsOf) -> Iterator[Problem]:
    """Assignments that showed first what their unit has not. Exports of earlier versions do not say what came first."""
    for held in record.assignments:
        first = held.facts.get("shown_first")
        if first is None:
            continue
        known = units.surface(held.unit)
        if not (isinstance(first, str) and known is not None and first in known.texts):
            where = f"assignment of {held.unit} to {held.annotator}"
            yield Problem(where, f"its unit has no text {str(first)[:40]!r} to show first", part="shown_first")


def _is_time(written: str) -> bool:
    try:
        return datetime.fromisoformat(written).tzinfo is not None
    except ValueError:
        return False
