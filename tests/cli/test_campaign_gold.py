"""`goldmark campaign gold`: what curators finished, as files that other commands read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from goldmark.cli import run
from goldmark.store import open_store
from tests.campaigns.house import NAME
from tests.curation.test_service import Office


@pytest.fixture
def database(sqlite_database: str) -> str:
    store = open_store(sqlite_database)
    office = Office(store)
    first = office.everybody()
    office.step(first, office.decide(first), "finish")
    store.close()
    return sqlite_database


def test_the_list_as_csv_and_as_webanno(database: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "gold.csv"
    assert run(["campaign", "gold", NAME, str(out), "--database", database]) == 0
    assert "2 gold mistakes of 1 finished texts of 'small'" in capsys.readouterr().err
    assert [line.split(",")[3] for line in out.read_text().splitlines()] == ["TOKENS", "Friday", "Kim"]
    folder = tmp_path / "tsv"
    arguments = ["campaign", "gold", NAME, str(folder), "--format", "webanno-tsv", "--json", "--database", database]
    assert run(arguments) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["mistakes"], list(facts["versions"].values())) == (2, [1])
    assert len(list(folder.rglob("*.tsv"))) == 1


def test_a_campaign_that_does_not_exist(database: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["campaign", "gold", "none", str(tmp_path / "x.csv"), "--database", database]) == 1
    assert "CAMPAIGN-01" in capsys.readouterr().err
