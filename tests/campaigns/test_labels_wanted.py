"""Another number of labels for every unit of a large campaign: some units at a time; nobody waits for all of them."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import select

from goldmark.campaigns import lifecycle
from goldmark.campaigns.definition.settings import Settings
from goldmark.campaigns.lifecycle import change_settings, find_campaign
from goldmark.store import Store
from goldmark.store.pieces import InPieces
from goldmark.store.tables import unit
from tests.campaigns.house import NAME, House


def wanted(store: Store) -> list[int]:
    query = select(unit.c.wanted).order_by(unit.c.taken.desc(), unit.c.id)
    return list(store.read(lambda connection: connection.execute(query).scalars().all()))


def want(store: Store, labels: int) -> None:
    change_settings(store, NAME, Settings(labels_per_unit=labels), title="T", author="test", reason="")


@pytest.mark.parametrize("large", [True, False])
def test_places_grow_and_shrink_to_what_is_taken(store: Store, monkeypatch: pytest.MonkeyPatch, large: bool) -> None:
    if large:
        monkeypatch.setattr(lifecycle, "SMALL", 2)
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


def test_what_broke_off_goes_on_when_it_is_said_again(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lifecycle, "SMALL", 2)
    House.build(store, 9, labels_per_unit=3)

    def breaks_off(self: InPieces, rows: Any, work: Any) -> None:
        self.once(lambda connection: work(connection, rows[:4]))
        raise KeyboardInterrupt

    with monkeypatch.context() as broken:
        broken.setattr(InPieces, "each", breaks_off)
        with pytest.raises(KeyboardInterrupt):
            want(store, 5)
    row = store.read(lambda connection: find_campaign(connection, NAME))
    assert row.settings.labels_per_unit == 3
    assert sorted(wanted(store)) == [3] * 5 + [5] * 4
    want(store, 5)
    assert wanted(store) == [5] * 9
