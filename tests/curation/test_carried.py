"""Curation that leaves with an exported campaign and comes back: byte for byte, and to be gone on with."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from goldmark.campaigns.assignments.content_cache import ContentCache
from goldmark.campaigns.lifecycle import find_campaign
from goldmark.campaigns.transfer.export import record_of
from goldmark.campaigns.transfer.restore import restore
from goldmark.curation.gold_lists.carried import curation_problems
from goldmark.curation.gold_lists.versions import versions_of
from goldmark.curation.workspace.service import open_workspace
from goldmark.exchange.formats import export_bytes, import_campaign
from goldmark.records.campaigns import CampaignRecord
from goldmark.store import Store, open_store
from goldmark.store.upkeep.health import check
from tests.campaigns.house import NAME
from tests.curation.test_service import Office
from tests.databases import fresh, on_sqlite


def curated(store: Store) -> tuple[Office, int]:
    """The first text is finished twice, the second one begun."""
    office = Office(store)
    first = office.everybody()
    office.step(first, office.decide(first), "finish")
    office.step(first, 3, "reopen", author="Eli")
    office.step(first, 4, "add", author="Eli", start=3, end=4, label="WORD")
    office.step(first, 5, "finish", author="Eli")
    office.step(office.units()[1], 1, "note", note="odd: ünï")
    return office, first


@on_sqlite
def test_steps_and_gold_lists_come_back_byte_for_byte_and_can_be_gone_on_with(store: Store, tmp_path: Path) -> None:
    office, first = curated(store)
    record = record_of(store, NAME)
    unit = office.workspace(first).unit.line.name
    assert [(one.number, one.kind) for one in record.curation if one.unit == unit] == [
        (1, "begin"), (2, "accept"), (3, "finish"), (4, "reopen"), (5, "add"), (6, "finish")
    ]  # fmt: skip
    assert [(one.version, one.author) for one in record.gold_versions] == [(1, "Cur"), (2, "Eli")]
    name, written = export_bytes(record, "jsonl")
    (tmp_path / name).write_bytes(written)

    elsewhere = open_store(fresh(tmp_path, "elsewhere.db"))
    read = import_campaign(tmp_path / name, "jsonl")
    assert list(curation_problems(read)) == []
    restore(elsewhere, read, author="test")
    assert check(elsewhere).problems == ()
    assert export_bytes(record_of(elsewhere, NAME), "jsonl")[1] == written
    content = ContentCache(elsewhere)
    here = office.workspace(first)

    def look(connection: Any) -> Any:
        row = find_campaign(connection, NAME)
        there = [open_workspace(connection, content, row, number) for number in (1, 2)]
        workspace = next(one for one in there if one.unit.line.name == here.unit.line.name)
        return workspace, versions_of(connection, workspace.unit.line.id, "mistakes")

    workspace, frozen = elsewhere.read(look)
    assert workspace.state() == here.state()
    assert frozen == office.versions(first)
    assert workspace.basis == workspace.state().responses  # nobody is told that answers have changed, for they have not
    elsewhere.close()


@pytest.mark.parametrize(
    ("wrong", "where"),
    [
        ({"kind": "accept", "facts": {"mark": "9.9"}}, "curation of"),
        ({"kind": "dance"}, "curation of"),
        ({"number": 9}, "curation of"),
        ({"facts": {"responses": [], "annotators": [], "entries": [{"id": 3}]}, "kind": "begin"}, "curation of"),
    ],
)
def test_steps_that_cannot_be_read_are_named(sqlite_database: str, wrong: dict[str, Any], where: str) -> None:
    store = open_store(sqlite_database)
    curated(store)
    record = record_of(store, NAME)
    store.close()
    broken = replace(record, curation=(*record.curation[:-1], replace(record.curation[-1], **wrong)))
    (problem,) = curation_problems(broken)
    assert problem.where.startswith(where)


def test_gold_lists_that_cannot_be_read_are_named(sqlite_database: str) -> None:
    store = open_store(sqlite_database)
    curated(store)
    record = record_of(store, NAME)
    store.close()

    def told(**wrong: Any) -> list[str]:
        changed: CampaignRecord = replace(
            record, gold_versions=(record.gold_versions[0], replace(record.gold_versions[1], **wrong))
        )
        return [one.what for one in curation_problems(changed)]

    assert len(told(gold={"text_id": "g1"})) == 1
    assert told(version=3) == ["its versions are not numbered from 1 without a gap"]
