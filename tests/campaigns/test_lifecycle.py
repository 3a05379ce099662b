"""A campaign's life, and a round trip through its record."""

from __future__ import annotations

from pathlib import Path

import pytest

from goldmark.campaigns.definition.file import read_campaign
from goldmark.campaigns.definition.settings import Settings, Subset
from goldmark.campaigns.definition.units import unit_order
from goldmark.campaigns.lifecycle import (
    CampaignExists,
    StateNotPossible,
    UnknownCampaign,
    find_campaign,
    move,
)
from goldmark.campaigns.more_units import add_units
from goldmark.campaigns.progress import progress_of
from goldmark.campaigns.settings_change import change_settings
from goldmark.campaigns.transfer.export import record_of
from goldmark.campaigns.transfer.restore import restore
from goldmark.errors import ProblemsFound
from goldmark.people import annotators
from goldmark.records.units import Unit
from goldmark.store import Store, events, open_store
from tests.campaigns.house import NAME, House, unit
from tests.campaigns.plans import choose
from tests.databases import fresh, on_sqlite

MARK = {"id": "e1", "start": 1, "end": 2, "label": "NAME", "correction": "Herons"}


@on_sqlite
def test_states_change_only_where_they_can(store: Store) -> None:
    House.build(store)
    assert move(store, NAME, "paused", author="test").state == "paused"
    assert move(store, NAME, "paused", author="test").state == "paused"
    assert move(store, NAME, "closed", author="test", reason="enough").state == "closed"
    with pytest.raises(StateNotPossible, match="closed"):
        move(store, NAME, "paused", author="test")
    with pytest.raises(UnknownCampaign, match="small"):
        move(store, "smal", "started", author="test")
    row = store.read(lambda connection: find_campaign(connection, NAME))
    decisions = store.read(lambda connection: events.history(connection, row.id))
    assert [one.kind for one in decisions][:2] == ["campaign closed", "campaign paused"]
    assert decisions[0].reason == "enough"


def test_a_campaign_is_not_made_twice(store: Store) -> None:
    House.build(store)
    with pytest.raises(CampaignExists):
        House.build(store)


def test_units_added_while_it_runs_are_handed_out(store: Store) -> None:
    house = House.build(store, 1)
    ada = house.person("Ada")
    _, following = house.submit(ada, house.task(ada))
    assert following.finished is not None
    assert add_units(store, NAME, [unit("new-1"), unit("new-2")], author="test") == 2
    assert house.next(ada).task is not None
    with pytest.raises(ProblemsFound) as problems:
        add_units(store, NAME, [unit("new-3"), unit("new-1")], author="test")
    assert len(problems.value.problems) == 1
    row = store.read(lambda connection: find_campaign(connection, NAME))
    assert store.read(lambda connection: progress_of(connection, row)).units == 3


def test_more_labels_per_unit_open_full_units_again_and_fewer_never_drop_any(store: Store) -> None:
    house = House.build(store, 2, labels_per_unit=1)
    ada, bo = house.person("Ada"), house.person("Bo")
    following = house.next(ada)
    while following.task is not None:
        _, following = house.submit(ada, following.task)
    assert house.next(bo).task is None
    change_settings(store, NAME, Settings(labels_per_unit=2), title="Small", author="test", reason="more power")
    task = house.task(bo)
    change_settings(store, NAME, Settings(labels_per_unit=1), title="Small", author="test", reason="no")
    assert not house.submit(bo, task)[0].extra


@on_sqlite
def test_joining_by_the_open_link(store: Store) -> None:
    house = House.build(store, join={"open": True, "at_most": 2})
    row = store.read(lambda connection: find_campaign(connection, NAME))
    invite = house.links.invite(row.id, row.invite_nonce)
    first = annotators.join(store, house.links, invite)
    assert house.work.person(first).name == "annotator-1"
    annotators.join(store, house.links, invite, "Ada")
    with pytest.raises(annotators.JoinClosed, match="all places are taken"):
        annotators.join(store, house.links, invite, "Bo")


def test_names_are_unique_in_a_campaign(store: Store) -> None:
    house = House.build(store)
    row = store.read(lambda connection: find_campaign(connection, NAME))
    invite = house.links.invite(row.id, row.invite_nonce)
    annotators.join(store, house.links, invite, "Ada")
    with pytest.raises(annotators.NameTaken):
        annotators.join(store, house.links, invite, " Ada ")
    with pytest.raises(annotators.NameNotUsable):
        annotators.join(store, house.links, invite, "A\nda")


def test_the_subset_holds_the_same_items_for_every_system() -> None:
    def outputs(system: str) -> list[Unit]:
        return [unit(f"{system}-{n}", item=f"q{n}", system=system) for n in range(50)]

    subset = Subset(size=10, seed=4)
    chosen = [{unit_order.item_of(one) for one in choose(outputs(system), subset)} for system in ("alder", "birch")]
    assert chosen[0] == chosen[1]
    assert len(chosen[0]) == 10
    other_seed = {unit_order.item_of(one) for one in choose(outputs("alder"), Subset(size=10, seed=5))}
    assert other_seed != chosen[0]


@on_sqlite
def test_a_campaign_goes_out_and_into_another_database_unchanged(store: Store, tmp_path: Path) -> None:
    house = House.build(
        store,
        [unit("u1", "Café \u202eabc 👩‍👩‍👧 ن ۱۲ .", system="alder", note={"deep": [1, 2.5, None]}), unit("u2")],
        labels_per_unit=2,
        consent="Fine?",
    )
    ada, bo = house.person("Ada"), house.person("Bo = 1")
    for token in (ada, bo):
        house.work.consent(token)
    task = house.task(ada)
    house.submit(ada, task, {"mistakes": [MARK]})
    house.submit(ada, task, {"mistakes": []})
    held = house.task(bo)
    house.responses.save_draft(bo, held.id, {"mistakes": [MARK]}, 0, 2.5)
    record = record_of(store, NAME)
    assert [one.final for one in record.responses] == [False, True]

    elsewhere = open_store(fresh(tmp_path, "elsewhere.db"))
    restore(elsewhere, record, author="test")
    assert record_of(elsewhere, NAME) == record
    elsewhere.close()
    with pytest.raises(CampaignExists):
        restore(store, record, author="test")
    restore(store, record, name="copy", author="test")
    assert record_of(store, "copy").responses == record.responses


def test_all_problems_of_a_campaign_file_are_told_at_once(tmp_path: Path) -> None:
    (tmp_path / "texts.jsonl").write_text('{"id": "a"}\n{"id": "b", "text": "Fine."}\n{"id": "b", "text": "Again."}\n')
    file = tmp_path / "campaign.yaml"
    file.write_text("campaign: small\nprotocol: acuracy\ntexts: texts.jsonl\n")
    with pytest.raises(ProblemsFound) as found:
        read_campaign(file)
    told = "\n".join(map(str, found.value.problems))
    assert 'did you mean "accuracy"' in told
    assert "campaign.yaml:2" in told
    assert "texts.jsonl:1" in told
    assert "texts.jsonl:3" in told

    file.write_text(
        "campaign: Not A Name\nprotocol: acuracy\ntext: texts.jsonl\ntexts: texts.jsonl\nlabels_per_unit: none\n"
    )
    with pytest.raises(ProblemsFound) as found:
        read_campaign(file)
    lines = {problem.where for problem in found.value.problems}
    assert {f"{file}:{line}" for line in (1, 2, 3, 5)} <= lines
    assert any("texts.jsonl:3" in line for line in lines)


@pytest.mark.parametrize("path", ["../outside.jsonl", "/etc/passwd", "link.jsonl"])
def test_texts_stay_inside_the_folder_of_the_campaign(tmp_path: Path, path: str) -> None:
    folder = tmp_path / "campaign"
    folder.mkdir()
    (tmp_path / "outside.jsonl").write_text('{"id": "a", "text": "Secret."}\n')
    (folder / "link.jsonl").symlink_to(tmp_path / "outside.jsonl")
    file = folder / "campaign.yaml"
    file.write_text(f"campaign: small\nprotocol: accuracy\ntexts: {path}\n")
    with pytest.raises(ProblemsFound, match="1 problem"):
        read_campaign(file)
