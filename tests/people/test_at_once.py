"""Two decide about somebody at once, or they come into another campaign of the crowd: who is excluded stays so."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import pytest
from sqlalchemy import select

from goldmark.accounts.roles import Role
from goldmark.accounts.service import AccountService
from goldmark.campaigns.definition.settings import Settings
from goldmark.campaigns.lifecycle import create, find_campaign, move
from goldmark.people import annotators, exclusions, set_aside
from goldmark.people.account_annotators import invite_account
from goldmark.people.annotators import set_paused
from goldmark.people.crowds import ExcludedBefore
from goldmark.people.exclusions import KEPT, exclude, keep
from goldmark.people.participants import Arrival
from goldmark.protocols import load
from goldmark.records.annotators import EXCLUDED
from goldmark.store import Store
from goldmark.store.events import history
from goldmark.store.tables import annotator
from tests.beside import beside
from tests.campaigns.house import NAME, House, unit
from tests.databases import on_sqlite

CROWD: Any = {"quality": {"crowd": "ours"}}


def shut_out(store: Store, name: str = "Ada") -> Any:
    return exclude(store, NAME, name, author="Mo", reason="noise")


def states(store: Store) -> list[str]:
    """Of everybody, in all campaigns."""
    return store.read(lambda connection: list(connection.execute(select(annotator.c.state)).scalars()))


@pytest.mark.parametrize("paused", [True, False])
def test_no_pause_lets_somebody_in_whom_another_manager_excludes(
    store: Store, monkeypatch: pytest.MonkeyPatch, paused: bool
) -> None:
    House.build(store, 1).person("Ada")
    set_paused(store, NAME, "Ada", not paused, author="Flo")
    with beside(monkeypatch, annotators, "find_annotator", partial(shut_out, store)) as asked:
        set_paused(store, NAME, "Ada", paused, author="Flo")
    assert asked[0].result().changed
    assert states(store) == ["excluded"]


def test_nobody_is_kept_after_another_manager_has_excluded_them(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    House.build(store, 1).person("Ada")
    with beside(monkeypatch, exclusions, "find_annotator", partial(shut_out, store)):
        keep(store, NAME, "Ada", author="Flo")
    said = store.read(lambda connection: history(connection, find_campaign(connection, NAME).id))
    assert [one.kind for one in said if one.kind in (KEPT, EXCLUDED)] == [EXCLUDED, KEPT]


def by_link(house: House, campaign: str) -> None:
    row = house.store.read(lambda connection: find_campaign(connection, campaign))
    invite = house.links.invite(row.id, row.invite_nonce)
    annotators.join(house.store, house.links, invite, "Ada", Arrival.browser("a number that a browser keeps"))


def by_name(house: House, campaign: str) -> None:
    annotators.invite(house.store, house.links, campaign, "Ada", author="Mo")


def by_account(house: House, campaign: str) -> None:
    account = AccountService(house.store).find("Ada")
    invite_account(house.store, house.links, campaign, account, author="Mo")


WAYS: Mapping[str, Callable[[House, str], None]] = {"link": by_link, "name": by_name, "account": by_account}
every_way = pytest.mark.parametrize("way", WAYS)


def two_campaigns(store: Store, way: str) -> House:
    """Of one crowd, and Ada, who takes part in the first."""
    house = House.build(store, 1, **CROWD)
    create(
        store,
        name="second",
        title="Second",
        protocol=load("accuracy"),
        settings=Settings.model_validate(CROWD),
        units=[unit("v1")],
        author="test",
    )
    move(store, "second", "started", author="test")
    AccountService(store).create("Ada", Role.ANNOTATOR, None, author="test")
    WAYS[way](house, NAME)
    return house


@every_way
@on_sqlite
def test_who_is_excluded_is_so_in_the_next_campaign_of_the_crowd(store: Store, way: str) -> None:
    house = two_campaigns(store, way)
    shut_out(store)
    if way == "link":
        with pytest.raises(ExcludedBefore):
            WAYS[way](house, "second")
        assert states(store) == ["excluded"]
    else:
        WAYS[way](house, "second")
        assert states(store) == ["excluded", "excluded"]
        said = store.read(lambda connection: history(connection, find_campaign(connection, "second").id))
        assert (said[0].kind, said[0].reason) == (EXCLUDED, "excluded from another campaign of the crowd ours")


@every_way
def test_who_comes_into_another_campaign_while_they_are_excluded_does_not_work_there(
    store: Store, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    house = two_campaigns(store, way)
    with beside(monkeypatch, set_aside, "set_aside", lambda: WAYS[way](house, "second")):
        shut_out(store)
    assert set(states(store)) == {"excluded"}


def test_who_is_just_coming_into_another_campaign_is_excluded_from_it(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    house = two_campaigns(store, "link")
    with beside(monkeypatch, annotators, "is_excluded", partial(shut_out, store)):
        by_link(house, "second")
    assert states(store) == ["excluded", "excluded"]
