"""What of a campaign a format of another tool has no place for, and how much that is: told when it is written."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from goldmark.exchange.campaign.marks import spans_question
from goldmark.protocols.responses import protocol_of
from goldmark.records.campaigns import CampaignRecord

UNFINISHED = ("active", "lapsed", "waiting", "returned")


def _others(record: CampaignRecord, question: str | None) -> int:
    known = {one.id for one in protocol_of(record).questions()} if record.protocol else set()
    return sum(name != question for one in record.final_responses() for name in one.answers if name in known)


def _marks(record: CampaignRecord, question: str | None) -> list[list[dict[str, dict[str, list[object]]]]]:
    found = (one.answers.get(question or "") for one in record.final_responses())
    return [marks for marks in found if isinstance(marks, list)]


# How much of each a campaign has. `question` is the one whose marks are written, where a format holds no other.
_COUNTED: Mapping[str, Callable[[CampaignRecord, str | None], int]] = {
    "earlier revisions": lambda record, question: len(record.responses) - len(record.final_responses()),
    "units in somebody's hands": lambda record, question: sum(one.state in UNFINISHED for one in record.assignments),
    "decisions": lambda record, question: len(record.events),
    "steps of curators": lambda record, question: len(record.curation),
    "gold lists": lambda record, question: len(record.gold_versions),
    "units with context": lambda record, question: sum(bool(unit.shown.context) for unit in record.units),
    "units with hidden facts": lambda record, question: sum(bool(unit.hidden) for unit in record.units),
    "times of answers": lambda record, question: sum(one.server_time is not None for one in record.final_responses()),
    "answers to other questions": _others,
    "linked passages": lambda record, question: sum(
        len(places)
        for marks in _marks(record, question)
        for mark in marks
        for places in (mark.get("links") or {}).values()
    ),
}
HISTORY = ("earlier revisions", "units in somebody's hands", "decisions", "steps of curators", "gold lists")
ONE_QUESTION = (
    *HISTORY,
    "units with context",
    "units with hidden facts",
    "times of answers",
    "answers to other questions",
)


def left_out(record: CampaignRecord, kinds: tuple[str, ...], question: str | None) -> dict[str, int]:
    """What is there and cannot be written, with its number."""
    if not kinds:
        return {}
    one = None
    if "answers to other questions" in kinds:
        one = spans_question(record, question).id
    counted = {kind: _COUNTED[kind](record, one) for kind in kinds}
    return {kind: count for kind, count in counted.items() if count}


def told(gone: Mapping[str, int]) -> str:
    """In words, with the number of each."""
    return ", ".join(f"{count} {kind}" for kind, count in gone.items())
