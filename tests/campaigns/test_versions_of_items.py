"""Nobody meets two versions of one item where a campaign says so, and every condition reads its texts evenly."""

from __future__ import annotations

from collections import Counter, defaultdict
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import Connection, insert, select, update
from sqlalchemy.exc import IntegrityError

from goldmark.campaigns.assignments.allocation import ask_run_out, lapse
from goldmark.campaigns.assignments.item_versions import hold_items
from goldmark.campaigns.definition.settings import Order, Settings
from goldmark.campaigns.lifecycle import find_campaign
from goldmark.campaigns.settings_change import change_settings
from goldmark.campaigns.transfer.export import record_of
from goldmark.campaigns.transfer.restore import restore
from goldmark.records.units import Unit
from goldmark.store import Store
from goldmark.store.tables import annotator, assignment, unit
from tests.campaigns.house import NAME, House
from tests.campaigns.house import unit as make_unit

TOMORROW = datetime.now(UTC) + timedelta(days=1)
RULE = {"one_version_per_item": True}


def versions(items: int, *writers: str) -> list[Unit]:
    return [
        make_unit(f"{writer}-{number}", item=f"i{number}", stratum=writer, writer=writer)
        for number in range(items)
        for writer in writers
    ]


def _lapse_all(connection: Connection) -> None:
    lapse(connection, ask_run_out(connection, find_campaign(connection, NAME).id, now=TOMORROW)())


def met(store: Store) -> dict[str, list[str]]:
    """The items of everybody's assignments, by person."""

    def look(connection: Connection) -> dict[str, list[str]]:
        found: dict[str, list[str]] = defaultdict(list)
        rows = select(annotator.c.name, unit.c.item).where(
            assignment.c.annotator_id == annotator.c.id, assignment.c.unit_id == unit.c.id
        )
        for name, item in connection.execute(rows):
            found[name].append(item)
        return found

    return store.read(look)


def work_until_nothing_is_left(house: House, token: str) -> None:
    task = house.next(token).task
    while task is not None:
        task = house.submit(token, task)[1].task


def test_a_person_meets_one_version_of_each_item(store: Store) -> None:
    plain = [make_unit(f"{writer}-{number}", item=f"i{number}") for number in range(4) for writer in ("human", "older")]
    house = House.build(store, [*plain, make_unit("alone")], labels_per_unit=2, order=RULE)
    people = {name: house.person(name) for name in ("Ada", "Bo", "Cy", "Di")}
    for token in people.values():
        work_until_nothing_is_left(house, token)
    for items in met(store).values():
        assert len(items) == len(set(items)), "two versions of one item for one person"
    readers = Counter(str(item) for items in met(store).values() for item in items)
    assert readers == {**{f"i{number}": 4 for number in range(4)}, "None": 2}
    assert house.next(people["Ada"]).finished is not None


def test_without_the_rule_several_versions_come(store: Store) -> None:
    house = House.build(store, [make_unit(f"u{number}", item="same") for number in range(3)])
    work_until_nothing_is_left(house, house.person("Ada"))
    assert met(store) == {"Ada": ["same"] * 3}


def test_what_is_only_on_lease_as_another_version_is_not_waited_for(store: Store) -> None:
    house = House.build(store, [make_unit("a", item="same"), make_unit("b", item="same")], order=RULE)
    ada, bo = house.person("Ada"), house.person("Bo")
    house.submit(ada, house.task(ada))
    house.task(bo)
    finished = house.next(ada).finished
    assert finished is not None
    assert finished.why == "all"


def test_the_database_itself_refuses_a_second_version(store: Store) -> None:
    house = House.build(store, [make_unit("a", item="same"), make_unit("b", item="same")], order=RULE)
    house.task(house.person("Ada"))

    def again(connection: Connection) -> None:
        held = connection.execute(select(assignment)).mappings().one()
        other = select(unit.c.id).where(unit.c.id != held["unit_id"])
        connection.execute(
            insert(assignment).values(**{**held, "id": None, "unit_id": connection.execute(other).scalar_one()})
        )

    with pytest.raises(IntegrityError):
        store.write(again)


def test_the_rule_holds_after_an_import_and_when_it_comes_later(store: Store) -> None:
    house = House.build(store, [make_unit("a", item="same"), make_unit("b", item="same"), make_unit("c", item="other")])
    ada = house.person("Ada")
    house.submit(ada, house.task(ada))
    house.submit(ada, house.task(ada))
    change_settings(store, NAME, Settings(order=Order(**RULE)), title="Small", author="test", reason="versions")
    work_until_nothing_is_left(house, ada)
    assert 2 <= len(met(store)["Ada"]) <= 3
    restore(store, record_of(store, NAME), name="copy", author="test")

    def held(connection: Connection) -> list[str]:
        row = find_campaign(connection, "copy")
        hold_items(connection, assignment.c.campaign_id == row.id)  # said twice, done once
        query = select(assignment.c.item).where(assignment.c.campaign_id == row.id)
        return sorted(str(item) for item in connection.execute(query).scalars())

    items = store.write(held)
    assert [one for one in items if one != "None"] == sorted({one for one in items if one != "None"})
    assert "same" in items


def test_every_condition_reads_its_texts_evenly(store: Store) -> None:
    """Two conditions share the human texts. Eight people each, four texts a person, of whom some leave."""
    conditions = [
        {"name": name, "mix": {"human": 1, writer: 1}} for name, writer in (("first", "older"), ("second", "newer"))
    ]
    house = House.build(
        store,
        versions(6, "human", "older", "newer"),
        labels_per_unit=20,
        batch={"size": 4, "per_person": 1},
        conditions=conditions,
        order={"one_version_per_item": True},
    )
    for number in range(18):
        name, condition = f"p{number}", ("first", "second")[number % 2]
        token = house.person(name)
        to_one = update(annotator).where(annotator.c.name == name).values(condition=condition)
        store.write(lambda connection, change=to_one: connection.execute(change))  # type: ignore[misc]
        if number in (3, 8):  # they leave with a text in progress, whose lease runs out
            house.task(token)
            store.write(_lapse_all)
        else:
            work_until_nothing_is_left(house, token)

    def readers(connection: Connection) -> dict[tuple[str, str], Counter[str]]:
        rows = select(annotator.c.condition, unit.c.stratum, unit.c.name).where(
            assignment.c.annotator_id == annotator.c.id, assignment.c.unit_id == unit.c.id, assignment.c.state == "done"
        )
        found: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        for condition, stratum, name in connection.execute(rows):
            found[condition, stratum][name] += 1
        return found

    by_condition = store.read(readers)
    assert set(by_condition) == {("first", "human"), ("first", "older"), ("second", "human"), ("second", "newer")}
    for counts in by_condition.values():
        assert sum(counts.values()) == 16
        assert len(counts) == 6
        assert max(counts.values()) - min(counts.values()) <= 1
