"""What the responses of a campaign's record say: each is read by the protocol that it answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from goldmark.errors import Conflict
from goldmark.protocols.answers import read
from goldmark.protocols.language import Protocol
from goldmark.protocols.loader import parse
from goldmark.records.answers import ReadAnswer
from goldmark.records.campaigns import CampaignRecord, ResponseRecord
from goldmark.records.spooled.units import finder
from goldmark.records.units import Unit

_parsed = lru_cache(maxsize=64)(parse)  # the same record is read for many things


class NothingAsked(Conflict):
    code = "PROTOCOL-06"
    message = "the campaign does not hold the protocol {protocol!r} that it asks, so its answers cannot be read"


class ReadResponse(NamedTuple):
    """One response beside the unit that it judges and what it says."""

    unit: Unit
    response: ResponseRecord
    said: ReadAnswer

    @property
    def annotator(self) -> str:
        return self.response.annotator


def protocols_of(record: CampaignRecord) -> Mapping[str, Protocol]:
    """Every protocol that the campaign asks or asked, by name and version."""
    return {one.id: _parsed(one.source, file=one.id) for one in record.protocols}


def protocol_of(record: CampaignRecord) -> Protocol:
    """What the campaign asks now."""
    return _known(record, record.protocol)


def _known(record: CampaignRecord, protocol: str) -> Protocol:
    for one in record.protocols:
        if one.id == protocol:
            return _parsed(one.source, file=one.id)
    raise NothingAsked(protocol=protocol)


def read_responses(record: CampaignRecord, responses: Iterable[ResponseRecord] | None = None) -> Iterator[ReadResponse]:
    """Those responses, or all that count, read. One that names no protocol of the record answers what is asked now."""
    known: dict[str, Protocol] = {}
    ids = {one.id for one in record.protocols}
    unit_of = finder(record.units)
    for one in record.final_responses() if responses is None else responses:
        asked = one.protocol if one.protocol in ids else record.protocol
        if asked not in known:
            known[asked] = _known(record, asked)
        unit = unit_of(one.unit)
        yield ReadResponse(unit, one, read(known[asked], one.answers, unit.shown))
