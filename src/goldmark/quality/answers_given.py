"""The newest answers of a campaign, or of one person, read unit by unit, and what is kept of a person's.

Of a million answers only numbers are kept: how long each took, what was chosen and how alike it is to the others'.
Explanations are kept as they were written.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from itertools import chain, groupby, islice
from operator import attrgetter
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, select

from goldmark.campaigns.assignments.content_cache import ContentCache
from goldmark.campaigns.lifecycle import CampaignRow
from goldmark.protocols import Protocol
from goldmark.protocols.answers import read
from goldmark.protocols.shown_order import AS_GIVEN
from goldmark.quality import signals
from goldmark.records.answers import Marks, ReadAnswer, Words
from goldmark.store.bulk import streamed
from goldmark.store.tables import assignment, response, unit

UNITS_AT_ONCE = 200


class TimedResponse(NamedTuple):
    """One answer as it stands, and how long it took in all."""

    unit_id: int
    annotator_id: int
    turn: int  # the how manieth answer of all it is
    said: ReadAnswer
    closed: str  # what was chosen, as they saw it, written so that the same choice reads the same
    explained: tuple[str, ...]  # in their own words
    shown: str  # what the unit's texts say, if the answer explains anything: only then is it held against them
    seconds: float
    counts: bool


def answers_given(
    connection: Connection, row: CampaignRow, content: ContentCache, annotator_id: int
) -> list[TimedResponse]:
    """The newest answers of one person, in the order in which they were given."""
    given = chain.from_iterable(answers_by_unit(connection, row, content, annotator_id))
    return sorted(given, key=attrgetter("turn"))


def answers_by_unit(
    connection: Connection, row: CampaignRow, content: ContentCache, annotator_id: int | None = None
) -> Iterator[list[TimedResponse]]:
    """Unit by unit the newest answers to it, or one person's, in the order in which they were given."""
    whose = assignment.c.campaign_id == row.id if annotator_id is None else assignment.c.annotator_id == annotator_id
    turns, lowest = _turns(connection, whose)
    query = (
        select(
            assignment.c.id,
            assignment.c.unit_id,
            assignment.c.annotator_id,
            assignment.c.revision,
            assignment.c.protocol_id,
            response.c.revision.label("this"),
            response.c.answers,
            response.c.seconds_active,
            unit.c.counts,
            assignment.c.shown_first,
        )
        .join(assignment, assignment.c.id == response.c.assignment_id)
        .join(unit, unit.c.id == assignment.c.unit_id)
        .where(whose)
        .order_by(assignment.c.unit_id, assignment.c.id, response.c.revision)
    )
    units = groupby(streamed(connection, query), key=attrgetter("unit_id"))
    while some := [list(rows) for _, rows in islice(units, UNITS_AT_ONCE)]:
        asked = {one.protocol_id for rows in some for one in rows}
        if any(_needs_texts(content.protocol(one)) for one in asked):
            content.have_at_hand(connection, [rows[0].unit_id for rows in some])
        for rows in some:
            given = _of_unit(rows, content)
            yield sorted((one._replace(turn=turns[one.turn - lowest]) for one in given), key=attrgetter("turn"))


def _turns(connection: Connection, whose: ColumnElement[bool]) -> tuple[Sequence[int], int]:
    """Of every assignment, by how far its number is above the lowest, which turn it had; and that lowest number."""
    query = select(assignment.c.id).where(whose).order_by(assignment.c.finished_at, assignment.c.id)
    numbers = array("q", (one.id for one in streamed(connection, query)))
    lowest = min(numbers, default=0)
    turns = array("i", bytes(4 * (1 + max(numbers, default=lowest) - lowest)))
    for turn, number in enumerate(numbers):
        turns[number - lowest] = turn
    return turns, lowest


def _needs_texts(protocol: Protocol) -> bool:
    """Whether somebody marks or explains anything; else nothing is asked of a unit's texts."""
    return any(question.gives in (Marks, Words) for question in protocol.questions())


def _of_unit(rows: Sequence[Any], content: ContentCache) -> Iterator[TimedResponse]:
    """Answers to one unit, with the number of the assignment in the place of their turn."""
    seconds: dict[int, float] = {}
    shown, texts = content.shown_later(rows[0].unit_id), ""
    for one in rows:
        seconds[one.id] = seconds.get(one.id, 0.0) + one.seconds_active
    for one in rows:
        if one.this != one.revision:
            continue
        protocol = content.protocol(one.protocol_id)
        said = read(protocol, one.answers, shown)
        order = content.order(one.protocol_id, one.shown_first)
        # As they saw it: who always takes the first text gives one answer to everything.
        seen = said
        if order is not AS_GIVEN:
            seen = read(protocol, order.answers(one.answers), content.shown_later(one.unit_id, order))
        own = signals.explained(said)
        if own and not texts:
            texts = "\n".join(text.characters for text in shown.texts.values())
        about = (one.unit_id, one.annotator_id, one.id, said, signals.choice_of(seen))
        yield TimedResponse(*about, own, texts if own else "", seconds[one.id], one.counts)


class PersonsAnswers:
    """What signals need of one person's answers."""

    def __init__(self) -> None:
        self.counting = 0
        self._turns, self._units, self._choices = array("q"), array("q"), array("q")
        self._seconds = array("d")
        self._explained: dict[int, tuple[tuple[str, ...], str]] = {}  # by turn
        self._alike_turns, self._alike = array("q"), array("d")

    def add(self, one: TimedResponse, choice: int, alike: Sequence[float]) -> None:
        """An answer, the number of its choice, and how alike it is to each of the others'."""
        self.counting += one.counts
        self._turns.append(one.turn)
        self._units.append(one.unit_id)
        self._choices.append(choice)
        self._seconds.append(one.seconds)
        self._alike.extend(alike)
        self._alike_turns.extend([one.turn] * len(alike))
        if one.explained:
            self._explained[one.turn] = one.explained, one.shown

    def in_turn(self, choices: Sequence[str]) -> list[signals.TimedAnswer]:
        """All of them in the order in which they were given; `choices` are what their numbers stand for."""
        return [
            signals.TimedAnswer(
                str(self._units[place]),
                self._seconds[place],
                choices[self._choices[place]],
                *self._explained.get(self._turns[place], ((), "")),
            )
            for place in sorted(range(len(self._turns)), key=self._turns.__getitem__)
        ]

    def explanations(self) -> Iterator[str]:
        return (said for some, _ in self._explained.values() for said in some)

    def agreement(self) -> signals.MeanSignal:
        """How alike the answers are to the others', on average over all that were compared."""
        order = sorted(range(len(self._alike)), key=self._alike_turns.__getitem__)
        return signals.mean_of([self._alike[place] for place in order])
