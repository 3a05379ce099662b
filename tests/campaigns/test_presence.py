"""Places and units of people who left come back; those of people whose page is open are kept."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import Connection, select, update

from goldmark.campaigns.definition.conditions import places
from goldmark.campaigns.lifecycle import find_campaign
from goldmark.people.annotators import JoinClosed, join
from goldmark.store import Store
from goldmark.store.tables import annotator, assignment
from tests.campaigns.house import NAME, House

ONE_PLACE = [{"name": "only", "places": 1}]


def test_who_is_heard_of_keeps_their_place_and_who_left_is_replaced(store: Store) -> None:
    settings: dict[str, Any] = {"batch": {"size": 2, "per_person": 1}, "labels_per_unit": 2, "lease_minutes": 15}
    house = House.build(store, 3, conditions=ONE_PLACE, **settings)
    row = store.read(lambda open_: find_campaign(open_, NAME))
    invite = house.links.invite(row.id, row.invite_nonce)
    ada = join(store, house.links, invite, "Ada")
    task = house.task(ada)
    with pytest.raises(JoinClosed, match="try again in about 15 minutes"):
        join(store, house.links, invite, "Bo")

    def minutes_pass(minutes: float) -> None:
        by = timedelta(minutes=minutes)

        def move(connection: Connection) -> None:
            held = connection.execute(select(annotator.c.joined_at, annotator.c.seen_at)).one()
            seen = held.seen_at and held.seen_at - by
            connection.execute(update(annotator).values(joined_at=held.joined_at - by, seen_at=seen))
            lease = connection.execute(select(assignment.c.lease_until)).scalar_one()
            connection.execute(update(assignment).values(lease_until=lease - by))

        store.write(move)

    minutes_pass(10)
    until = house.work.here(ada)
    assert timedelta(minutes=14) < until - datetime.now(UTC) <= timedelta(minutes=15)
    minutes_pass(10)  # twenty since she came, ten since her page was heard of
    with pytest.raises(JoinClosed, match=r"try again in about [56] minutes"):
        join(store, house.links, invite, "Bo")
    assert house.next(ada).task is not None
    minutes_pass(16)
    bo = join(store, house.links, invite, "Bo")
    assert store.read(lambda open_: places(open_, row))[0][1] == 1
    # Nothing of hers is lost: she goes on where she was, and Bo has units of his own.
    assert house.task(bo).id != task.id
    assert house.task(ada).id == task.id
    house.submit(ada, task)
