"""The responses of a record are read by the protocol that each of them answers."""

from __future__ import annotations

import pytest

from goldmark.protocols.responses import NothingAsked, protocol_of, protocols_of, read_responses
from goldmark.records.answers import Choice, Rating
from goldmark.records.campaigns import AnnotatorRecord, CampaignRecord, ProtocolRecord, ResponseRecord
from goldmark.records.units import ShownText, ShownUnit, Unit
from goldmark.texts.segmentation.text import make_text

ASKED = (
    "protocol: p/{version}\ntitle: P\nsteps:\n  - questions:\n      - {{id: good, kind: choice, options: {options}}}\n"
)
# The second version gave the options numbers: the same answer says more under it.
PROTOCOLS = (
    ProtocolRecord("p", 1, ASKED.format(version=1, options="[no, yes]")),
    ProtocolRecord("p", 2, ASKED.format(version=2, options="{no: 0, yes: 1}")),
)
UNIT = Unit("u", ShownUnit({"text": ShownText(make_text("u", "Anna won."))}))


def record(*responses: ResponseRecord, asks: str = "p/2") -> CampaignRecord:
    people = tuple(
        AnnotatorRecord(name, "excluded" if name == "eve" else "active")
        for name in dict.fromkeys(one.annotator for one in responses)
    )
    return CampaignRecord(protocol=asks, protocols=PROTOCOLS, units=(UNIT,), annotators=people, responses=responses)


def answer(annotator: str, protocol: str, *, final: bool = True) -> ResponseRecord:
    return ResponseRecord("u", annotator, 1, final, {"good": "yes"}, protocol)


def test_each_response_is_read_as_it_was_asked() -> None:
    campaign = record(answer("ann", "p/1"), answer("bob", "p/2"), answer("cy", "before/7"))
    assert {one.annotator: one.said.said for one in read_responses(campaign)} == {
        "ann": (Choice("good", "yes"),),
        "bob": (Rating("good", 1.0, "yes", 0.0, 1.0),),
        "cy": (Rating("good", 1.0, "yes", 0.0, 1.0),),  # names no protocol of the record: what is asked now
    }


def test_what_does_not_count_is_read_only_if_it_is_given() -> None:
    campaign = record(answer("ann", "p/2"), answer("ann", "p/2", final=False), answer("eve", "p/2"))
    assert [one.annotator for one in read_responses(campaign)] == ["ann"]
    assert [one.annotator for one in read_responses(campaign, campaign.responses)] == ["ann", "ann", "eve"]


def test_a_record_without_its_protocol_says_so() -> None:
    assert protocol_of(record()).id == "p/2"
    assert sorted(protocols_of(record())) == ["p/1", "p/2"]
    with pytest.raises(NothingAsked, match="'q/1'"):
        protocol_of(record(asks="q/1"))
    with pytest.raises(NothingAsked):
        list(read_responses(record(answer("ann", "before/7"), asks="q/1")))
