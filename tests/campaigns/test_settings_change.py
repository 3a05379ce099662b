"""Other settings of a large campaign reach its texts and answers some at a time; nobody waits for all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from sqlalchemy import Connection, select

from goldmark.campaigns import settings_change
from goldmark.campaigns.definition.settings import Order, Review, Settings
from goldmark.campaigns.lifecycle import find_campaign
from goldmark.campaigns.settings_change import change_settings
from goldmark.store import Store
from goldmark.store.pieces import InPieces
from goldmark.store.tables import assignment, job, unit
from goldmark.store.upkeep.health import check
from tests.campaigns.house import NAME, House
from tests.campaigns.house import unit as make_unit
from tests.cut_writes import cut_small, killed_before_piece, worked_off

RULE = Order(one_version_per_item=True)


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Everything is large, and comes two rows at a time."""
    monkeypatch.setattr(settings_change, "SMALL", 2)
    return cut_small(monkeypatch)


def wanted(store: Store) -> list[int]:
    query = select(unit.c.wanted).order_by(unit.c.taken.desc(), unit.c.id)
    return list(store.read(lambda connection: connection.execute(query).scalars().all()))


def want(store: Store, labels: int) -> None:
    change_settings(store, NAME, Settings(labels_per_unit=labels), title="T", author="test", reason="")


def settings(store: Store) -> Settings:
    return store.read(lambda connection: find_campaign(connection, NAME).settings)


def owed(store: Store) -> int:
    return len(store.read(lambda connection: connection.execute(select(job.c.id)).all()))


@pytest.mark.parametrize("large", [True, False])
def test_places_grow_and_shrink_to_what_is_taken(store: Store, monkeypatch: pytest.MonkeyPatch, large: bool) -> None:
    if large:
        monkeypatch.setattr(settings_change, "SMALL", 2)
    house = House.build(store, 9, labels_per_unit=3)
    for name in ("Ada", "Bo"):
        token = house.person(name)
        house.submit(token, house.task(token), {"mistakes": []})
    want(store, 5)
    assert wanted(store) == [5] * 9
    want(store, 1)
    assert sum(wanted(store)) >= 9
    taken = store.read(lambda connection: connection.execute(select(unit.c.taken, unit.c.wanted)).all())
    assert all(places == max(1, held) for held, places in taken)
    assert owed(store) == 0


def test_a_worker_goes_on_with_what_was_killed(
    store: Store, monkeypatch: pytest.MonkeyPatch, written: list[int]
) -> None:
    house = House.build(store, 9, labels_per_unit=3)
    with killed_before_piece(monkeypatch, 3):
        want(store, 5)
    assert written == [2, 2]
    assert settings(store).labels_per_unit == 5
    assert sorted(wanted(store)) == [3] * 5 + [5] * 4
    ada = house.person("Ada")
    house.submit(ada, house.task(ada))  # people work meanwhile
    assert worked_off(store) == 1
    assert wanted(store) == [5] * 9
    assert check(store).problems == ()


def test_of_two_managers_at_once_the_last_one_is_obeyed_everywhere(
    store: Store, monkeypatch: pytest.MonkeyPatch, written: list[int]
) -> None:
    House.build(store, 9, labels_per_unit=3)
    piece, said = InPieces._piece, list[int]()

    def interrupted(self: InPieces, some: Sequence[Any], work: Any) -> Sequence[tuple[int, Any]]:
        if len(written) == 2 and not said:  # in the middle of the first one's pieces
            said.append(2)
            want(store, 2)
        return piece(self, some, work)

    monkeypatch.setattr(InPieces, "_piece", interrupted)
    want(store, 5)
    assert said == [2]
    assert settings(store).labels_per_unit == 2
    assert wanted(store) == [2] * 9


def test_the_last_one_is_obeyed_also_if_both_are_killed(
    store: Store, monkeypatch: pytest.MonkeyPatch, written: list[int]
) -> None:
    House.build(store, 9, labels_per_unit=3)
    for labels, number in ((5, 4), (2, 2)):
        with killed_before_piece(monkeypatch, number):
            want(store, labels)
    assert sorted(set(wanted(store))) == [2, 3, 5]
    assert worked_off(store) == 2
    assert wanted(store) == [2] * 9


def waiting(store: Store) -> list[str]:
    states = select(assignment.c.state).where(assignment.c.revision > 0).order_by(assignment.c.id)
    return list(store.read(lambda connection: connection.execute(states).scalars().all()))


def reviewed(store: Store, people: int) -> House:
    house = House.build(store, 3, labels_per_unit=people, review={"required": True})
    for number in range(people):
        token = house.person(f"p{number}")
        for _ in range(3):
            house.submit(token, house.task(token))
    return house


def test_what_waits_for_approval_counts_some_at_a_time(
    store: Store, monkeypatch: pytest.MonkeyPatch, written: list[int]
) -> None:
    house = reviewed(store, 3)
    (first, *_) = house.waiting("Rhea")
    house.judge(first.id, "returned", "Rhea")
    with killed_before_piece(monkeypatch, 3):
        change_settings(store, NAME, Settings(labels_per_unit=3), title="T", author="test", reason="")
    assert written == [2, 2]
    assert sorted(waiting(store)) == ["done"] * 4 + ["returned"] + ["waiting"] * 4
    assert check(store).problems == ()
    still = next(one.id for one in house.waiting("Rhea") if one.id != first.id)
    house.judge(still, "returned", "Rhea")  # somebody reviews meanwhile
    worked_off(store)
    assert sorted(waiting(store)) == ["done"] * 7 + ["returned"] * 2
    assert check(store).problems == ()


def test_what_waits_stays_so_if_approval_is_asked_for_again(
    store: Store, monkeypatch: pytest.MonkeyPatch, written: list[int]
) -> None:
    reviewed(store, 2)
    with killed_before_piece(monkeypatch, 2):
        change_settings(store, NAME, Settings(labels_per_unit=2), title="T", author="test", reason="")
    required = Settings(labels_per_unit=2, review=Review(required=True))
    change_settings(store, NAME, required, title="T", author="test", reason="")
    assert worked_off(store) == 1
    assert sorted(waiting(store)) == ["done"] * 2 + ["waiting"] * 4


def items(store: Store) -> list[str | None]:
    query = select(assignment.c.item).order_by(assignment.c.id)
    return list(store.read(lambda connection: connection.execute(query).scalars().all()))


def versions(store: Store) -> House:
    house = House.build(
        store,
        [make_unit(f"{who}-{number}", item=f"i{number}") for number in range(4) for who in "ab"],
        labels_per_unit=2,
    )
    for name in ("Ada", "Bo"):
        token = house.person(name)
        for _ in range(5):
            house.submit(token, house.task(token))
    return house


def ask_for_versions(store: Store) -> None:
    change_settings(store, NAME, Settings(labels_per_unit=2, order=RULE), title="T", author="test", reason="")


def test_items_are_named_some_at_a_time_as_they_would_be_at_once(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    versions(store)
    ask_for_versions(store)
    at_once = items(store)
    assert None in at_once  # second versions that somebody met
    everything_again(store)
    assert set(items(store)) == {None}
    monkeypatch.setattr(settings_change, "SMALL", 2)
    written = cut_small(monkeypatch)
    ask_for_versions(store)
    assert written == [2] * 6
    assert items(store) == at_once
    assert settings(store).order.one_version_per_item


def everything_again(store: Store) -> None:
    """As it was before anybody asked for versions."""

    def forget(connection: Connection) -> None:
        connection.execute(assignment.update().values(item=None))

    store.write(forget)
    change_settings(store, NAME, Settings(labels_per_unit=2), title="T", author="test", reason="")


def test_the_rule_for_versions_holds_when_all_items_are_named(
    store: Store, monkeypatch: pytest.MonkeyPatch, written: list[int]
) -> None:
    house = versions(store)
    with killed_before_piece(monkeypatch, 3):
        ask_for_versions(store)
    assert not settings(store).order.one_version_per_item  # nobody is held to half of it
    assert sum(one is not None for one in items(store)) in (3, 4)
    piece, came = InPieces._piece, list[int]()

    def meanwhile(self: InPieces, some: Sequence[Any], work: Any) -> Sequence[tuple[int, Any]]:
        if not came:
            came.append(house.task(house.person("Cy")).id)
        return piece(self, some, work)

    monkeypatch.setattr(InPieces, "_piece", meanwhile)
    ask_for_versions(store)
    assert settings(store).order.one_version_per_item
    query = select(assignment.c.item).where(assignment.c.id == came[0])
    assert store.read(lambda connection: connection.execute(query).scalar()) is not None
    assert check(store).problems == ()


@pytest.mark.parametrize("large", [True, False])
def test_texts_keep_the_number_of_places_that_a_study_gives_them(
    store: Store, monkeypatch: pytest.MonkeyPatch, large: bool
) -> None:
    if large:
        monkeypatch.setattr(settings_change, "SMALL", 2)
    own = {"u0": 1, "u1": 2, "u2": 9, "u3": None}
    units = [make_unit(name, labels_wanted=number) if number else make_unit(name) for name, number in own.items()]
    House.build(store, units, labels_per_unit=3)
    query = select(unit.c.wanted).order_by(unit.c.name)
    for labels, places in ((3, [1, 2, 3, 3]), (4, [1, 2, 4, 4]), (1, [1, 1, 1, 1]), (3, [1, 2, 3, 3])):
        want(store, labels)
        assert store.read(lambda connection: connection.execute(query).scalars().all()) == places
