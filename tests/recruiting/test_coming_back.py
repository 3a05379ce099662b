"""Somebody with many answers comes back to their place while something else is decided about them: what counts is the
decision that came last, whoever is killed, and no place is left half given back.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, cast

import pytest
from sqlalchemy import delete, select, update

from goldmark.people import set_aside, undo_exclusion
from goldmark.people.exclusions import UNDO, exclude
from goldmark.people.platform import Platform, SessionReport, Snapshot
from goldmark.recruiting.ordering import orders
from goldmark.recruiting.watching import scheduler, sync
from goldmark.simulate.platforms.prolific import ProlificStandIn
from goldmark.store import Store
from goldmark.store.tables import annotator, assignment, job, unit
from goldmark.store.upkeep.health import check
from tests.cut_writes import asked_of_writer, cut_small, killed_before_piece, worked_off
from tests.recruiting.ground import NAME, Ground
from tests.recruiting.test_many_sessions import Telling

ANSWERS = 6


class Returning:
    """Bo has answered everything and given the place back; the platform says more about that."""

    def __init__(self, store: Store, prolific: ProlificStandIn) -> None:
        self.store = store
        self.ground = Ground.build(store, prolific, batch={"size": ANSWERS, "per_person": 1}, labels_per_unit=1)
        self.bo = self.ground.person(1)
        self.bo.come()
        self.ground.work(self.bo.token)
        self.tell("returned")
        self.work_off()
        assert self.stands() == ("excluded", {"excluded": ANSWERS}, 0)

    def tell(self, state: str) -> None:
        (part,) = self.store.read(lambda connection: orders.parts_of(connection, self.ground.posting.id))
        report = SessionReport(self.ground.sessions()[0].reference, part, self.bo.name, cast("Any", state))
        platform = cast("Platform", Telling(Snapshot((), (report,))))
        sync.take_over(self.store, self.ground.house.links, self.ground.posting, platform, datetime.now(UTC))

    def exclude(self) -> None:
        name = self.store.read(lambda connection: connection.execute(select(annotator.c.name)).scalar_one())
        assert exclude(self.store, NAME, name, author="Mo", reason="careless").changed

    def work_off(self) -> None:
        self.store.write(lambda connection: connection.execute(delete(job).where(job.c.kind == scheduler.KIND)))
        worked_off(self.store)

    def stands(self) -> tuple[str, dict[str, int], int]:
        """What Bo is, in which states the answers are, and how many places are taken."""

        def look(connection: Any) -> tuple[str, dict[str, int], int]:
            person = connection.execute(select(annotator.c.state)).scalar_one()
            states = Counter(connection.execute(select(assignment.c.state)).scalars())
            return person, dict(states), sum(connection.execute(select(unit.c.taken)).scalars())

        return self.store.read(look)


@pytest.fixture
def returning(lite: Store, prolific: ProlificStandIn, monkeypatch: pytest.MonkeyPatch) -> Returning:
    monkeypatch.setattr(set_aside, "FEW", 2)
    cut_small(monkeypatch)
    return Returning(lite, prolific)


def once(act: Callable[[], None]) -> Callable[[], None]:
    waiting = [act]

    def first() -> None:
        while waiting:
            waiting.pop()()

    return first


def test_an_exclusion_is_not_undone_by_who_was_killed_before_it(
    returning: Returning, monkeypatch: pytest.MonkeyPatch
) -> None:
    with killed_before_piece(monkeypatch, 3):
        returning.tell("submitted")
    assert returning.stands()[1]["done"] == 2
    returning.exclude()
    returning.work_off()
    assert returning.stands() == ("excluded", {"excluded": ANSWERS}, 0)


def test_who_is_excluded_while_they_come_back_has_no_place(
    returning: Returning, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted, exclude_once = set_aside.labels_of, once(returning.exclude)

    def labels_of(*given: Any, **more: Any) -> int:
        exclude_once()  # when all places are theirs again, and before they may go on
        return counted(*given, **more)

    monkeypatch.setattr(set_aside, "labels_of", labels_of)
    returning.tell("submitted")
    for _ in range(2):
        assert returning.stands() == ("excluded", {"excluded": ANSWERS}, 0)
        returning.work_off()
    assert check(returning.store).problems == ()


@pytest.mark.parametrize("act", [Returning.exclude, lambda returning: returning.tell("returned")])
def test_what_is_decided_before_somebody_begins_to_come_back_stands(
    returning: Returning, monkeypatch: pytest.MonkeyPatch, act: Callable[[Returning], None]
) -> None:
    come_back, first = undo_exclusion.come_back, once(lambda: act(returning))

    def late(*given: Any) -> None:
        first()
        come_back(*given)

    monkeypatch.setattr(sync, "come_back", late)
    returning.tell("submitted")
    returning.work_off()
    assert returning.stands() == ("excluded", {"excluded": ANSWERS}, 0)


def test_who_comes_back_undisturbed_has_everything_again(returning: Returning) -> None:
    returning.tell("submitted")
    assert returning.stands() == ("active", {"done": ANSWERS}, ANSWERS)


def test_nobody_waits_while_it_is_counted_what_is_given_back(returning: Returning) -> None:
    returning.tell("submitted")
    with asked_of_writer(returning.store) as written:
        returning.tell("returned")
        returning.work_off()
    assert returning.stands() == ("excluded", {"excluded": ANSWERS}, 0)
    assert written
    assert not [one for one in written if "unit.taken >= unit.wanted" in one]


def test_what_an_earlier_version_owed_is_done(returning: Returning, monkeypatch: pytest.MonkeyPatch) -> None:
    with killed_before_piece(monkeypatch, 3):
        returning.tell("submitted")

    def as_before(connection: Any) -> None:
        (asked,) = connection.execute(select(job.c.arguments).where(job.c.kind == UNDO)).scalars()
        del asked["since"]
        connection.execute(update(job).where(job.c.kind == UNDO).values(arguments=asked))

    returning.store.write(as_before)
    returning.work_off()
    assert returning.stands() == ("active", {"done": ANSWERS}, ANSWERS)
