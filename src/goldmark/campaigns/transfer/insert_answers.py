"""Checked answers into the database: people, assignments, responses and the counts of units.

A few go in one transaction. Many go in pieces, after it is known that nothing stands against any of them: annotators
who work meanwhile would otherwise wait until the last one is written. Each answer is there with all that belongs to it,
or not at all; where it breaks off, the same file again brings in the rest.
"""

from __future__ import annotations

import uuid
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import Connection, Integer, bindparam, case, insert, select, update

from goldmark.accounts.links import new_nonce
from goldmark.campaigns.assignments import item_versions
from goldmark.campaigns.definition.units import unit_order
from goldmark.campaigns.lifecycle import CampaignRow, find_campaign, next_position
from goldmark.errors import Failed, Problem, ProblemsFound
from goldmark.exchange.responses.same import same
from goldmark.store import Store, events
from goldmark.store.pieces import SMALL, InPieces, in_parts
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

    def and_(self, more: Inserted) -> Inserted:
        return Inserted(
            self.answers + more.answers,
            self.replaced + more.replaced,
            self.already_there + more.already_there,
            self.new_annotators + more.new_annotators,
        )


class BrokenOff(Failed):
    code = "IMPORT-03"
    message = "{done} of {total} answers were imported when this went wrong: {why}; the same file again brings the rest"


@dataclass(frozen=True)
class AnswerImport:
    """Answers for a campaign, and what is to be written of them in its history."""

    answers: Sequence[CheckedAnswers]
    replace_others: bool
    author: str
    reason: str
    facts: Mapping[str, Any]

    def finish(self, connection: Connection, row: CampaignRow, done: Inserted) -> None:
        counts = {**done._asdict(), "new_annotators": len(done.new_annotators)}
        events.record(
            connection,
            row.id,
            author=self.author,
            kind=IMPORTED,
            subject=row.name,
            reason=self.reason,
            facts={**self.facts, "units": len({one.unit_id for one in self.answers}), **counts},
        )


def insert_answers(store: Store, name: str, given: AnswerImport) -> Inserted:
    """All of these answers, or none if one of them contradicts what is there and may not follow it as a revision."""
    if len(given.answers) > SMALL:
        return _in_pieces(store, name, given)

    def write(connection: Connection) -> Inserted:
        row = find_campaign(connection, name, hold=True)
        done = _Inserting(connection, row).run(given.answers, replace_others=given.replace_others)
        given.finish(connection, row, done)
        return done

    return store.write(write)


def _in_pieces(store: Store, name: str, given: AnswerImport) -> Inserted:
    def look(connection: Connection) -> None:
        _Inserting(connection, find_campaign(connection, name)).plan(given.answers, replace_others=given.replace_others)

    store.snapshot(look)
    done, meanwhile = Inserted(0, 0, 0, ()), list[Problem]()

    def put(connection: Connection, some: Sequence[CheckedAnswers]) -> tuple[Inserted, list[Problem]]:
        answered: list[Problem] = []  # here, by the same person, since we looked
        inserting = _Inserting(connection, find_campaign(connection, name, hold=True))
        return inserting.run(some, replace_others=given.replace_others, conflicts=answered), answered

    pieces = InPieces(store)
    try:
        # By unit, so that the counts of each are written once.
        for outcome, answered in pieces.gathered(sorted(given.answers, key=lambda one: one.unit_id), put):
            done, meanwhile = done.and_(outcome), [*meanwhile, *answered]
        pieces.once(lambda connection: given.finish(connection, find_campaign(connection, name, hold=True), done))
    except Exception as error:
        raise BrokenOff(done=done.answers + done.replaced, total=len(given.answers), why=error) from error
    if meanwhile:
        raise ProblemsFound(meanwhile, consequence="all other answers were imported")
    return done


@dataclass
class _Changes:
    """What the units and people of an import will have more of; of places also less."""

    places: Counter[int] = field(default_factory=Counter)
    done: Counter[int] = field(default_factory=Counter)
    answered: Counter[int] = field(default_factory=Counter)  # by annotator, units
    seconds: dict[int, float] = field(default_factory=lambda: defaultdict(float))


class _Parted(NamedTuple):
    """Answers by what their author has of the unit: nothing, no answer yet, or another answer."""

    never_given: list[CheckedAnswers]
    first: list[tuple[CheckedAnswers, Any]]
    revised: list[tuple[CheckedAnswers, Any]]


class _Inserting:
    def __init__(self, connection: Connection, row: CampaignRow) -> None:
        self.connection = connection
        self.row = row
        self.now = datetime.now(UTC)
        self.changes = _Changes()
        self.rows: list[dict[str, Any]] = []  # responses

    def plan(self, answers: Sequence[CheckedAnswers], *, replace_others: bool) -> None:
        """Refuse what contradicts what is there."""
        people = self._people(sorted({one.annotator for one in answers}), hold=False)
        _kinds(answers, people)
        revised = self._parted(answers, people, hold=False).revised
        if revised and not replace_others:
            raise ProblemsFound([_conflict(one) for one, _ in revised], consequence="nothing was imported")

    def run(
        self, answers: Sequence[CheckedAnswers], *, replace_others: bool, conflicts: list[Problem] | None = None
    ) -> Inserted:
        """Write them. With `conflicts`, an answer that contradicts one that is there is told in it and left out."""
        names = sorted({one.annotator for one in answers})
        people = self._people(names)
        kinds = _kinds(answers, people)
        never_given, first, revised = self._parted(answers, people)
        if revised and not replace_others:
            told = [_conflict(one) for one, _ in revised]
            if conflicts is None:
                raise ProblemsFound(told, consequence="nothing was imported")
            conflicts += told
            revised = []
        new_people = tuple(name for name in names if name not in people)
        people |= self._new_people(new_people, kinds)
        self._insert(never_given, people)
        for one, before in (*first, *revised):
            self._append(one, before, people[one.annotator])
        if self.rows:
            self.connection.execute(insert(response), self.rows)
        self._count()
        new = len(never_given) + len(first)
        return Inserted(new, len(revised), len(answers) - new - len(revised), new_people)

    def _parted(self, answers: Sequence[CheckedAnswers], people: Mapping[str, Any], *, hold: bool = True) -> _Parted:
        parted = _Parted([], [], [])
        for some in in_parts(answers, AT_ONCE):
            theirs = {people[one.annotator].id for one in some if one.annotator in people}
            held = self._held(some, theirs, hold=hold) if theirs else {}
            for one in some:
                person = people.get(one.annotator)
                before = held.get((one.unit_id, person.id)) if person else None
                if before is None:
                    parted.never_given.append(one)
                elif not before.revision:
                    parted.first.append((one, before))
                elif not same(before.answers, one.answers):
                    parted.revised.append((one, before))
        return parted

    def _people(self, names: Sequence[str], *, hold: bool = True) -> dict[str, Any]:
        """Those whom the campaign knows, held until the end like everyone who answers, in one order."""
        found: dict[str, Any] = {}
        for some in in_parts(names, AT_ONCE):
            query = (
                select(annotator.c.id, annotator.c.name, annotator.c.kind, annotator.c.state)
                .where(annotator.c.campaign_id == self.row.id, annotator.c.name.in_(some))
                .order_by(annotator.c.id)
            )
            rows = self.connection.execute(query.with_for_update(key_share=True, of=annotator) if hold else query)
            found |= {one.name: one for one in rows}
        return found

    def _held(
        self, answers: Sequence[CheckedAnswers], people: Collection[int], *, hold: bool
    ) -> dict[tuple[int, int], Any]:
        """What these people were given of the units of these answers, with their newest answers.

        With `hold`, nobody else is given the place of a lease that has run out until the end.
        """
        newest = (response.c.assignment_id == assignment.c.id) & (response.c.revision == assignment.c.revision)
        theirs = (assignment.c.annotator_id + 0).in_(people)  # or SQLite looks for each of them at each unit
        query = (
            select(
                assignment.c.id,
                assignment.c.unit_id,
                assignment.c.annotator_id,
                assignment.c.state,
                assignment.c.revision,
                response.c.answers,
            )
            .outerjoin(response, newest)
            .where(assignment.c.unit_id.in_({one.unit_id for one in answers}), theirs)
            .order_by(assignment.c.id)
        )
        rows = self.connection.execute(query.with_for_update(key_share=True, of=assignment) if hold else query)
        return {(one.unit_id, one.annotator_id): one for one in rows}

    def _new_people(self, names: Sequence[str], kinds: Mapping[str, str]) -> dict[str, Any]:
        """People who have worked elsewhere. They count at once, and have a link only if they are invited."""
        if not names:
            return {}
        places = next_position(self.connection, self.row.id)
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
                    **self._settled(one, person),
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
        made = (
            self.connection.execute(insert(assignment).returning(assignment.c.id, sort_by_parameter_order=True), rows)
            .scalars()
            .all()
        )
        if self.row.settings.order.one_version_per_item:
            item_versions.hold_items(self.connection, assignment.c.id.in_(made))
        for number, one in zip(made, answers, strict=True):
            self._respond(number, 1, one, people[one.annotator])

    def _append(self, one: CheckedAnswers, before: Any, person: Any) -> None:
        """An answer to a unit that its author was given: their first, or a revision of what they said."""
        values: dict[str, Any] = {"revision": before.revision + 1}
        if not before.revision:  # in their hands, or it was; what they have drafted stays theirs
            values |= self._settled(one, person, before.state)
            values["finished_at"] = self._times(one)[1]
        elif before.state in ("returned", "released"):  # amended, so it goes the way of any amended answer
            values["state"] = "waiting" if self.row.settings.review.required else "done"
            self.changes.places[one.unit_id] += before.state == "released"
            self.changes.done[one.unit_id] += values["state"] == "done"
        self.connection.execute(update(assignment).where(assignment.c.id == before.id).values(**values))
        self._respond(before.id, before.revision + 1, one, person)

    def _settled(self, one: CheckedAnswers, person: Any, before: str = "") -> dict[str, Any]:
        """The state of a first answer: it counts, unless its author is excluded; then the place they held is free."""
        settled = {"state": "done", "state_before": None}
        if person.state == "excluded":
            settled = {"state": "excluded", "state_before": "done"}
        elif person.kind != "person":  # the labels that were asked for are people's
            settled["state"] = "extra"
        self.changes.places[one.unit_id] += (settled["state"] in HOLD_A_PLACE) - (before in HOLD_A_PLACE)
        self.changes.done[one.unit_id] += settled["state"] == "done"
        return settled

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
        changed = {*self.changes.places, *self.changes.done}
        units = sorted(one for one in changed if self.changes.places[one] or self.changes.done[one])
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
