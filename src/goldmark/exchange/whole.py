"""A whole campaign from what a format of another tool carries: units, and everybody's answers to them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from goldmark.exchange.answers import GivenAnswers
from goldmark.protocols import Protocol
from goldmark.records.campaigns import (
    AnnotatorRecord,
    AssignmentRecord,
    CampaignRecord,
    ProtocolRecord,
    ResponseRecord,
)
from goldmark.records.units import Unit


def campaign_record(units: Iterable[Unit], given: Sequence[GivenAnswers], protocol: Protocol) -> CampaignRecord:
    """Every answer is final, and was made under this protocol."""
    return CampaignRecord(
        protocol=protocol.id,
        protocols=(ProtocolRecord(protocol.name, protocol.version, protocol.source),),
        units=tuple(units),
        annotators=tuple(AnnotatorRecord(name) for name in sorted({one.annotator for one in given})),
        assignments=tuple(AssignmentRecord(one.unit, one.annotator, "done", finished=one.time) for one in given),
        responses=tuple(
            ResponseRecord(
                one.unit,
                one.annotator,
                revision=1,
                final=True,
                answers=one.answers,
                protocol=protocol.id,
                client_time=one.time,
                server_time=one.time,
                seconds_active=one.seconds,
            )
            for one in given
        ),
    )
