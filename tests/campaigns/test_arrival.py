"""Large campaigns come in pieces: nobody has to wait for them, nobody sees half of one, and nothing is left of one
that never came."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import Connection, Table, func, select, update

from goldmark.campaigns import arrival, more_units
from goldmark.campaigns.definition.settings import Settings
from goldmark.campaigns.definition.units.needed_context import MISSING
from goldmark.campaigns.lifecycle import CampaignExists, UnknownCampaign, create, find_campaign, list_campaigns
from goldmark.campaigns.more_units import add_units, finish_joining
from goldmark.campaigns.transfer.export import record_of
from goldmark.campaigns.transfer.restore import completed, restore
from goldmark.errors import ProblemsFound
from goldmark.protocols import load
from goldmark.records.campaigns import (
    AnnotatorRecord,
    AssignmentRecord,
    CampaignRecord,
    CurationStepRecord,
    GoldVersionRecord,
    ResponseRecord,
)
from goldmark.records.spooled.units import SpooledUnits
from goldmark.store import Store, pieces
from goldmark.store.pieces import SMALL, InPieces
from goldmark.store.tables import (
    annotator,
    assignment,
    campaign,
    curation_step,
    gold_version,
    response,
    unit,
    unit_secret,
)
from goldmark.store.upkeep.health import check
from tests.campaigns.house import NAME, House
from tests.campaigns.house import unit as made_unit

TABLES = (campaign, unit, unit_secret, annotator, assignment, response)


def large() -> CampaignRecord:
    """More than goes in one transaction."""
    units = [f"u{number}" for number in range(SMALL // 2)]
    record = CampaignRecord(
        units=tuple(made_unit(one, "The Foxes won on Friday night .") for one in units),
        annotators=(AnnotatorRecord("ann"), AnnotatorRecord("bob")),
        assignments=tuple(AssignmentRecord(one, who, "done", facts={}) for one in units for who in ("ann", "bob")),
        responses=tuple(ResponseRecord(one, who, 1, True, {}) for one in units for who in ("ann", "bob")),
    )
    return completed(record, load("accuracy"), name="large")


def counted(store: Store, tables: Sequence[Table] = TABLES) -> list[int]:
    return store.read(
        lambda connection: [
            connection.execute(select(func.count()).select_from(table)).scalar_one() for table in tables
        ]
    )


@pytest.fixture(autouse=True)
def _small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a quick machine pieces grow; here there are always several."""
    monkeypatch.setattr(pieces, "FEWEST", 50)
    monkeypatch.setattr(pieces, "MOST", 50)
    monkeypatch.setattr(pieces, "HELD", 0)


def test_a_large_campaign_comes_in_pieces_that_nobody_sees(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    piece = InPieces._piece

    def watched(self: InPieces, some: Sequence[Any], work: Any) -> Any:
        done = piece(self, some, work)
        seen.append(len(some))
        assert store.read(list_campaigns) == []
        assert check(store).problems == ()
        with pytest.raises(UnknownCampaign):
            store.read(lambda connection: find_campaign(connection, "large"))
        return done

    monkeypatch.setattr(InPieces, "_piece", watched)
    record = large()
    restore(store, record, author="test")
    assert len(seen) > 5
    assert [row.name for row in store.read(list_campaigns)] == ["large"]
    found = record_of(store, "large")
    assert [one.id for one in found.units] == [one.id for one in record.units]
    key = [(one.unit, one.annotator, one.answers) for one in found.responses]
    assert key == [(one.unit, one.annotator, one.answers) for one in record.responses]
    health = check(store)
    assert (health.campaigns, health.problems) == (1, ())


def test_one_that_breaks_off_leaves_nothing(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    before, piece, turns = counted(store), InPieces._piece, iter(range(100))

    def breaks(self: InPieces, some: Sequence[Any], work: Any) -> Any:
        if next(turns) == 4:
            raise KeyboardInterrupt
        return piece(self, some, work)

    monkeypatch.setattr(InPieces, "_piece", breaks)
    with pytest.raises(KeyboardInterrupt):
        restore(store, large(), author="test")
    assert counted(store) == before
    restore(store, large(), author="test")


def test_many_steps_of_curators_come_in_pieces_too(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """However few texts there are: hidden like the rest until all are there, and gone if they never come."""
    at = datetime(2026, 5, 4, 12, tzinfo=UTC)
    numbers = range(1, SMALL + 1)
    steps = tuple(CurationStepRecord("u0", "mistakes", one, "begin", {}, "", "Eli", at) for one in numbers)
    gold = tuple(GoldVersionRecord("u0", "mistakes", one, one, {}, "Eli", at) for one in numbers)
    made = CampaignRecord(units=(made_unit("u0", "The Foxes won ."),), curation=steps, gold_versions=gold)
    record = completed(made, load("accuracy"), name="curated")
    tables = (campaign, unit, curation_step, gold_version)
    held: list[int] = []
    gone: list[bool] = []
    piece = InPieces._piece

    def breaks(self: InPieces, some: Sequence[Any], work: Any) -> Any:
        done = piece(self, some, work)
        held.append(sum(many for many, _ in done))
        assert store.read(list_campaigns) == []
        if not gone and sum(held) > SMALL + 1:  # the first gold lists are in
            gone.append(True)
            raise KeyboardInterrupt
        return done

    with monkeypatch.context() as broken:
        broken.setattr(InPieces, "_piece", breaks)
        with pytest.raises(KeyboardInterrupt):
            restore(store, record, author="test")
    assert len(held) > 3
    assert counted(store, tables) == [0, 0, 0, 0]
    restore(store, record, author="test")
    assert counted(store, tables) == [1, 1, SMALL, SMALL]
    assert record_of(store, "curated").curation == steps


def test_what_a_killed_import_left_is_swept_out_by_the_next(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrival, "_remove", lambda *_: None)  # killed: nobody tidies up
    monkeypatch.setattr(arrival.ArrivingCampaign, "show", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        restore(store, large(), author="test")
    monkeypatch.undo()
    assert counted(store)[0] == 1
    assert store.read(list_campaigns) == []

    def make_old(connection: Connection) -> None:
        connection.execute(update(campaign).values(created_at=datetime.now(UTC) - timedelta(hours=1)))

    store.write(make_old)
    row = restore(store, large(), author="test")
    assert counted(store) == [1, SMALL // 2, SMALL // 2, 2, SMALL, SMALL]
    assert record_of(store, row.name).settings["created_at"]


def test_one_that_stood_still_does_not_go_on(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    piece, turns = InPieces._piece, iter(range(100))

    def stalls(self: InPieces, some: Sequence[Any], work: Any) -> Any:
        if next(turns) == 2:
            monkeypatch.undo()
            ids = store.read(lambda connection: connection.execute(select(campaign.c.id)).scalars().all())
            arrival._remove(store, *ids)
        return piece(self, some, work)

    monkeypatch.setattr(InPieces, "_piece", stalls)
    with pytest.raises(arrival.ArrivalGivenUp):
        restore(store, large(), author="test")
    assert counted(store) == [0] * len(TABLES)


def test_one_that_wakes_while_it_is_being_removed_is_told_and_the_next_removes_the_rest(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    piece, remove, turns, removed = InPieces._piece, InPieces.remove, iter(range(100)), iter(range(100))

    def breaks_off(self: InPieces, table: Table, *which: Any) -> None:
        if next(removed) == 4:
            raise KeyboardInterrupt  # whoever removes it is killed in the middle
        remove(self, table, *which)

    def stalls(self: InPieces, some: Sequence[Any], work: Any) -> Any:
        if next(turns) == 2:
            with monkeypatch.context() as sweeping:
                sweeping.setattr(InPieces, "_piece", piece)
                sweeping.setattr(InPieces, "remove", breaks_off)
                sweeping.setattr(arrival, "GIVEN_UP", timedelta(0))
                with pytest.raises(KeyboardInterrupt):
                    arrival._sweep(store)
            monkeypatch.setattr(arrival, "_remove", lambda *_: None)  # nor does whoever wakes
        return piece(self, some, work)

    with monkeypatch.context() as here:
        here.setattr(InPieces, "_piece", stalls)
        with pytest.raises(arrival.ArrivalGivenUp):
            restore(store, large(), author="test")
    monkeypatch.undo()
    assert store.read(list_campaigns) == []
    assert counted(store)[0] == 1
    row = restore(store, large(), author="test")
    assert counted(store)[:2] == [1, SMALL // 2]
    assert store.read(list_campaigns)[0].name == row.name


def test_a_name_that_was_taken_meanwhile_is_refused(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def other() -> None:
        create(store, name="large", title="", protocol=load("accuracy"), settings=Settings(), units=[], author="test")

    piece, turns = InPieces._piece, iter(range(100))

    def watched(self: InPieces, some: Sequence[Any], work: Any) -> Any:
        if next(turns) == 1:
            other()
        return piece(self, some, work)

    monkeypatch.setattr(InPieces, "_piece", watched)
    with pytest.raises(CampaignExists):
        restore(store, large(), author="test")
    assert counted(store)[:2] == [1, 0]


def test_a_large_campaign_is_created_in_pieces(store: Store) -> None:
    units = [made_unit(f"u{number}", "A text .") for number in range(SMALL + 1)]
    about: dict[str, Any] = {"title": "", "protocol": load("accuracy"), "settings": Settings(), "author": "test"}
    row = create(store, name="many", units=units, **about)
    assert (row.name, row.state) == ("many", "draft")
    positions = store.read(lambda connection: connection.execute(select(unit.c.position)).scalars().all())
    assert sorted(positions) == list(range(SMALL + 1))


def test_many_texts_join_a_campaign_only_when_all_are_there(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    house = House.build(store, 2)
    seen: list[int] = []
    written = InPieces._piece

    def watched(self: InPieces, some: Sequence[Any], work: Any) -> Any:
        done = written(self, some, work)
        seen.append(len(record_of(store, NAME).units))
        return done

    monkeypatch.setattr(InPieces, "_piece", watched)
    new = [made_unit(f"new{number}", "A text .") for number in range(SMALL + 1)]
    assert add_units(store, NAME, new, author="test") == SMALL + 1
    hidden = [count for count in seen if count == 2]
    assert len(hidden) >= 3  # nobody saw any while they came
    assert seen == sorted(seen)
    assert seen[-1] == SMALL + 3
    check_whole(store, SMALL + 3)
    token = house.person("Ada")
    assert house.next(token).task is not None
    with pytest.raises(ProblemsFound, match="new7"):
        add_units(store, NAME, [*new[7:8], *[made_unit(f"x{number}") for number in range(SMALL)]], author="test")
    assert len(record_of(store, NAME).units) == SMALL + 3


@pytest.mark.parametrize("joining", [False, True])
def test_texts_on_their_way_when_a_server_dies(store: Store, monkeypatch: pytest.MonkeyPatch, joining: bool) -> None:
    House.build(store, 2)
    new = [made_unit(f"new{number}", "A text .") for number in range(SMALL + 1)]
    written, turns = InPieces._piece, iter(range(100))

    def dies(self: InPieces, some: Sequence[Any], work: Any) -> Any:
        begun = store.read(lambda connection: list(more_units._joining(connection)))
        if bool(begun) == joining and next(turns) == 1:
            raise KeyboardInterrupt
        return written(self, some, work)

    monkeypatch.setattr(InPieces, "_piece", dies)
    monkeypatch.setattr(arrival, "_remove", lambda *_: None)  # killed: nobody tidies up
    with pytest.raises(KeyboardInterrupt):
        add_units(store, NAME, new, author="test", missing_context=["they have no source"])
    monkeypatch.undo()
    if not joining:
        assert len(record_of(store, NAME).units) == 2
        # Nothing stands in the way of a second try.
        add_units(store, NAME, new, author="test", missing_context=["they have no source"])
    else:
        # A few of them may have joined; the others hold their names and places until the next one lets them in.
        with pytest.raises(ProblemsFound, match=f"new{SMALL}"):
            store.write(lambda connection: more_units._add(connection, NAME, SpooledUnits(new[-1:]), "test"))
        store.write(lambda connection: more_units._add(connection, NAME, SpooledUnits([made_unit("one more")]), "test"))
        finish_joining(store)
        assert len(record_of(store, NAME).units) == SMALL + 4
    [noted] = [one for one in record_of(store, NAME).events if one.kind == MISSING]
    assert noted.reason == "they have no source"
    added = [one for one in record_of(store, NAME).events if one.kind == "units added"]
    assert [one.facts["units"] for one in added][-1] == SMALL + 1
    assert check(store).problems == ()


def check_whole(store: Store, count: int) -> None:
    query = select(unit.c.position).join(campaign).where(campaign.c.name == NAME)
    positions = store.read(lambda connection: connection.execute(query).scalars().all())
    assert sorted(positions) == list(range(count))
    assert check(store).problems == ()
    assert store.read(lambda connection: connection.scalar(select(func.count()).select_from(campaign))) == 1
