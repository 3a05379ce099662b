"""A whole project of another tool: its units, everybody's answers to them with their places, and what was asked."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable
from datetime import UTC, datetime
from functools import lru_cache
from typing import NamedTuple

from goldmark.errors import Problem
from goldmark.exchange.campaign.archive import Files
from goldmark.exchange.responses.from_campaign import carried
from goldmark.exchange.responses.given import GivenAnswers, ReadAnswers, Target
from goldmark.protocols import Protocol
from goldmark.records.campaigns import (
    AnnotatorRecord,
    AssignmentRecord,
    CampaignRecord,
    ProtocolRecord,
    ResponseRecord,
)
from goldmark.records.units import Unit


class Project(NamedTuple):
    units: tuple[Unit, ...]
    given: tuple[GivenAnswers, ...]  # one for each unit and annotator
    protocol: Protocol

    def record(self) -> CampaignRecord:
        """The project as a campaign: every answer is final, and was made under this protocol."""
        asked = self.protocol
        return CampaignRecord(
            protocol=asked.id,
            protocols=(ProtocolRecord(asked.name, asked.version, asked.source),),
            units=self.units,
            annotators=tuple(AnnotatorRecord(name) for name in sorted({one.annotator for one in self.given})),
            assignments=tuple(
                AssignmentRecord(one.unit, one.annotator, "done", finished=one.time) for one in self.given
            ),
            responses=tuple(
                ResponseRecord(
                    one.unit,
                    one.annotator,
                    revision=1,
                    final=True,
                    answers=one.answers,
                    protocol=asked.id,
                    client_time=one.time,
                    server_time=one.time,
                    seconds_active=one.seconds,
                )
                for one in self.given
            ),
        )


def take(given: dict[tuple[str, str], GivenAnswers], now: GivenAnswers, problems: list[Problem]) -> None:
    """Add somebody's answers to a unit; the same ones again are nothing new, and others are a problem."""
    before = given.setdefault((now.unit, now.annotator), now)
    if before.answers != now.answers:
        what = f"{now.annotator} annotated {now.unit!r} in another way at {before.where}"
        problems.append(Problem(now.where, what, "keep one of the two"))


def answers_of(project: Callable[[Files], Project]) -> ReadAnswers:
    """A reader of projects as a reader of answers, which keeps the lines on which they stand."""

    def read(files: Files, target: Target, problems: list[Problem]) -> list[GivenAnswers]:
        found = project(files)
        return carried(found.record(), target, problems, places={(one.unit, one.annotator): one for one in found.given})

    return read


def slug(name: str) -> str:
    """A name as an id: small letters, digits and underscores, with a letter first, also if it has no such letter."""
    words = re.sub(r"[^a-z0-9]+", "_", name.casefold()).strip("_")[:60]
    if words[:1].isalpha():
        return words
    return f"n_{words or format(zlib.crc32(name.encode()), '08x')}"


def moment(seconds: float) -> datetime:
    """A time as tools note it: seconds since 1970."""
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, OSError):  # which of them, the system decides
        raise ValueError(f"{seconds!r} is no time in seconds") from None


@lru_cache(maxsize=2)  # asked for with every mark of a text
def utf16_places(text: str, *, breaks_count: bool = True) -> tuple[int, ...]:
    """The place of the character that each unit of 16 bits belongs to, which is what JavaScript counts."""
    return tuple(
        place
        for place, character in enumerate(text)
        if breaks_count or character != "\n"
        for _ in range(2 if character > "\uffff" else 1)
    )


def is_whole_words(text: str, start: int, end: int) -> bool:
    """Whether a passage begins and ends with words, as what people mark mostly does."""
    return not any(0 < at < len(text) and text[at - 1].isalnum() and text[at].isalnum() for at in (start, end))
