"""Checked answers into the database, inside one transaction: people, assignments, responses and the counts of units."""

from __future__ import annotations

import uuid
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import Connection, Integer, bindparam, case, insert, select, update

from goldmark.accounts.links import new_nonce
from goldmark.campaigns.assignments import allocation
from goldmark.campaigns.definition import unit_order
from goldmark.campaigns.lifecycle import CampaignRow, count_units
from goldmark.errors import Problem, ProblemsFound
from goldmark.exchange.responses.same import same
from goldmark.store import events
from goldmark.store.states import HOLD_A_PLACE
from goldmark.store.tables import annotator, assignment, response, unit

AT_ONCE = 500  # ids in one question to the database
IMPORTED = "answers imported"  # the kind of event


class CheckedAnswers(NamedTuple):
    """One person's answers to one unit, found right."""

    where: str
    unit: str
    unit_id: int
    annotator: str
    answers: Mapping[str, Any]
    seconds: float | None
    time: datetime | None
    kind: str = ""  # of the annotator; nothing where nobody says


class Inserted(NamedTuple):
    answers: int
    replaced: int
    already_there: int
    new_annotators: tuple[str, ...]


def insert_answers(
    connection: Connection,
    row: CampaignRow,
    answers: Sequence[CheckedAnswers],
    *,
    replace_others: bool,
    author: str,
    reason: str,
    facts: Mapping[str, Any],
) -> Inserted:
    """All of these answers. The caller holds the campaign."""
    inserting = _Inserting(connection, row)
    done = inserting.run(answers, replace_others=replace_others)
    counts = {**done._asdict(), "new_annotators": len(done.new_annotators)}
    events.record(
        connection,
        row.id,
        author=author,
        kind=IMPORTED,
        subject=row.name,
        reason=reason,
        facts={**facts, "units": len({one.unit_id for one in answers}), **counts},
    )
    return done


@dataclass
class _Changes:
    """What the units and people of an import will have more of."""

    places: Counter[int] = field(default_factory=Counter)
    done: Counter[int] = field(default_factory=Counter)
    answered: Counter[int] = field(default_factory=Counter)  # by annotator, units
    seconds: dict[int, float] = field(default_factory=lambda: defaultdict(float))


class _Inserting:
    def __init__(self, connection: Connection, row: CampaignRow) -> None:
        self.connection = connection
        self.row = row
        self.now = datetime.now(UTC)
        self.changes = _Changes()
        self.rows: list[dict[str, Any]] = []  # responses

    def run(self, answers: Sequence[CheckedAnswers], *, replace_others: bool) -> Inserted:
        names = sorted({one.annotator for one in answers})
        people = self._people(names)
        kinds = _kinds(answers, people)
        held = self._held([person.id for person in people.values()])
        new_people = tuple(name for name in names if name not in people)
        never_given: list[CheckedAnswers] = []
        first: list[tuple[CheckedAnswers, Any]] = []
        revised: list[tuple[CheckedAnswers, Any]] = []
        for one in answers:
            person = people.get(one.annotator)
            before = held.get((one.unit_id, person.id)) if person else None
            if before is None:
                never_given.append(one)
            elif not before.revision:
                first.append((one, before))
            elif not same(before.answers, one.answers):
                revised.append((one, before))
        if revised and not replace_others:
            raise ProblemsFound([_conflict(one) for one, _ in revised], consequence="nothing was imported")
        people |= self._new_people(new_people, kinds)
        self._insert(never_given, people)
        for one, before in (*first, *revised):
            self._append(one, before, people[one.annotator])
        if self.rows:
            self.connection.execute(insert(response), self.rows)
        self._count()
        new = len(never_given) + len(first)
        return Inserted(new, len(revised), len(answers) - new - len(revised), new_people)

    def _people(self, names: Sequence[str]) -> dict[str, Any]:
        """Those whom the campaign knows, held until the end like everyone who answers, in one order."""
        found: dict[str, Any] = {}
        for some in _parts(names):
            rows = self.connection.execute(
                select(annotator.c.id, annotator.c.name, annotator.c.kind, annotator.c.state)
                .where(annotator.c.campaign_id == self.row.id, annotator.c.name.in_(some))
                .order_by(annotator.c.id)
                .with_for_update(of=annotator)
            )
            found |= {one.name: one for one in rows}
        return found

    def _held(self, people: Sequence[int]) -> dict[tuple[int, int], Any]:
        """What these people were given, with their newest answers."""
        newest = (response.c.assignment_id == assignment.c.id) & (response.c.revision == assignment.c.revision)
        found: dict[tuple[int, int], Any] = {}
        for some in _parts(people):
            rows = self.connection.execute(
                select(
                    assignment.c.id,
                    assignment.c.unit_id,
                    assignment.c.annotator_id,
                    assignment.c.state,
                    assignment.c.revision,
                    response.c.answers,
                )
                .outerjoin(response, newest)
                .where(assignment.c.annotator_id.in_(some))
            )
            found |= {(one.unit_id, one.annotator_id): one for one in rows}
        return found

    def _new_people(self, names: Sequence[str], kinds: Mapping[str, str]) -> dict[str, Any]:
        """People who have worked elsewhere. They count at once, and have a link only if they are invited."""
        if not names:
            return {}
        places = count_units(self.connection, self.row.id)
        seed = self.row.settings.order.seed
        self.connection.execute(
            insert(annotator),
            [
                {
                    "campaign_id": self.row.id,
                    "name": name,
                    "kind": kinds.get(name, "person"),
                    "state": "active",
                    "stage": "work",
                    "link_nonce": new_nonce(),
                    "joined_at": self.now,
                    "cursor": unit_order.starting_place(seed, name, places) - 1,
                    "done": 0,
                    "batch": 1,
                    "batch_done": 0,
                    "seconds_active": 0.0,
                }
                for name in names
            ],
        )
        return self._people(names)

    def _insert(self, answers: Sequence[CheckedAnswers], people: Mapping[str, Any]) -> None:
        """Answers of people who were never given the unit."""
        lease = timedelta(minutes=self.row.settings.lease_minutes)
        rows = []
        for one in answers:
            person = people[one.annotator]
            began, ended = self._times(one)
            rows.append(
                {
                    "campaign_id": self.row.id,
                    "unit_id": one.unit_id,
                    "annotator_id": person.id,
                    "protocol_id": self.row.protocol_id,
                    **self._settled(one, person, place=True),
                    "batch": 1,
                    "claimed_at": began,
                    "lease_until": began + lease,
                    "finished_at": ended,
                    "revision": 1,
                    "draft_version": 0,
                    "draft_seconds": 0.0,
                }
            )
        if not rows:
            return
        made = self.connection.execute(
            insert(assignment).returning(assignment.c.id, sort_by_parameter_order=True), rows
        ).scalars()
        for number, one in zip(made, answers, strict=True):
            self._respond(number, 1, one, people[one.annotator])
        if self.row.settings.order.one_version_per_item:
            allocation.hold_items(self.connection, self.row.id)

    def _append(self, one: CheckedAnswers, before: Any, person: Any) -> None:
        """An answer to a unit that its author was given: their first, or a revision of what they said."""
        values: dict[str, Any] = {"revision": before.revision + 1}
        if not before.revision:  # in their hands, or it was; what they have drafted stays theirs
            values |= self._settled(one, person, place=before.state not in HOLD_A_PLACE)
            values["finished_at"] = self._times(one)[1]
        elif before.state in ("returned", "released"):  # amended, so it goes the way of any amended answer
            values["state"] = "waiting" if self.row.settings.review.required else "done"
            self.changes.places[one.unit_id] += before.state == "released"
            self.changes.done[one.unit_id] += values["state"] == "done"
        self.connection.execute(update(assignment).where(assignment.c.id == before.id).values(**values))
        self._respond(before.id, before.revision + 1, one, person)

    def _settled(self, one: CheckedAnswers, person: Any, *, place: bool) -> dict[str, Any]:
        """The state of a first answer: it counts, unless its author is excluded."""
        if person.state == "excluded":
            return {"state": "excluded", "state_before": "done"}
        if person.kind != "person":  # the labels that were asked for are people's
            return {"state": "extra", "state_before": None}
        self.changes.places[one.unit_id] += place
        self.changes.done[one.unit_id] += 1
        return {"state": "done", "state_before": None}

    def _respond(self, assignment_id: int, revision: int, one: CheckedAnswers, person: Any) -> None:
        self.changes.answered[person.id] += revision == 1
        self.changes.seconds[person.id] += one.seconds or 0.0
        self.rows.append(
            {
                "assignment_id": assignment_id,
                "revision": revision,
                "client_key": uuid.uuid4().hex,
                "answers": dict(one.answers),
                "protocol_id": self.row.protocol_id,
                "client_time": one.time,
                "server_time": one.time or self.now,  # what figures by date go by
                "seconds_active": one.seconds or 0.0,
                "language": "",
            }
        )

    def _times(self, one: CheckedAnswers) -> tuple[datetime, datetime]:
        ended = one.time or self.now
        return ended - timedelta(seconds=one.seconds or 0.0), ended

    def _count(self) -> None:
        """Units have what they have; more than they wanted is what they want now. Test questions count nothing."""
        units = sorted(number for number in {*self.changes.places, *self.changes.done})
        if units:
            self.connection.execute(
                _more_labels,
                [
                    {"number": one, "places": self.changes.places[one], "labels": self.changes.done[one]}
                    for one in units
                ],
            )
        people = sorted(self.changes.answered)
        if people:
            self.connection.execute(
                _more_work,
                [
                    {"number": one, "units": self.changes.answered[one], "seconds": self.changes.seconds[one]}
                    for one in people
                ],
            )


_taken = unit.c.taken + bindparam("places", type_=Integer)
_more_labels = (
    update(unit)
    .where(unit.c.id == bindparam("number"), unit.c.counts)
    .values(
        taken=_taken,
        done=unit.c.done + bindparam("labels", type_=Integer),
        wanted=case((_taken > unit.c.wanted, _taken), else_=unit.c.wanted),
    )
)
_more_work = (
    update(annotator)
    .where(annotator.c.id == bindparam("number"))
    .values(
        done=annotator.c.done + bindparam("units", type_=Integer),
        seconds_active=annotator.c.seconds_active + bindparam("seconds"),
    )
)


def _kinds(answers: Sequence[CheckedAnswers], people: Mapping[str, Any]) -> dict[str, str]:
    """What each annotator is. Nobody is a person here and a model there."""
    found = {name: person.kind for name, person in people.items()}
    problems = []
    for one in answers:
        if one.kind and found.setdefault(one.annotator, one.kind) != one.kind:
            what = f"{one.annotator} is a {one.kind} here and was a {found[one.annotator]} before"
            problems.append(Problem(one.where, what, "give the two different names"))
    if problems:
        raise ProblemsFound(problems, consequence="nothing was imported")
    return found


def _conflict(one: CheckedAnswers) -> Problem:
    what = f"{one.annotator} has given another answer to unit {one.unit!r} in this campaign"
    return Problem(one.where, what, "leave it out, or give --replace: this answer then follows theirs as a revision")


def _parts(values: Sequence[Any]) -> Iterator[Sequence[Any]]:
    return (values[start : start + AT_ONCE] for start in range(0, len(values), AT_ONCE))
