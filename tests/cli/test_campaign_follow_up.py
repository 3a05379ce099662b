"""`goldmark campaign follow-up`, `verified` and `reviews` on a small annotated campaign."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from goldmark.cli import run
from goldmark.store import open_store
from tests.campaigns.house import NAME
from tests.followups.test_create import annotated


@pytest.fixture
def database(sqlite_database: str) -> str:
    store = open_store(sqlite_database)
    house = annotated(store)
    first = house.waiting("Rhea")[0]
    house.judge(first.id, "returned", "Rhea")
    house.judge(first.id, "approved", "Rhea", "")
    store.close()
    return sqlite_database


def test_from_a_campaign_to_its_verified_list(
    database: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = ["campaign", "follow-up", NAME, "--as", "verification", "--name", "look", "--labels", "2", "--start"]
    assert run([*made, "--database", database, "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    # Four reported errors without full agreement (tests/followups/test_create.py), two verifiers each.
    assert (facts["units"], facts["labels_wanted"], facts["state"]) == (4, 8, "running")
    assert facts["link"].startswith("http://127.0.0.1:8000/join/")
    assert run([*made, "--database", database]) == 1
    assert "CAMPAIGN-02" in capsys.readouterr().err

    out = tmp_path / "gold.csv"
    assert run(["campaign", "verified", "look", "--out", str(out), "--resamples", "20", "--database", database]) == 0
    said = capsys.readouterr()
    assert "Errors by agreement of their verifiers" in said.out
    # Three gold mistakes: one assumed to be right, two that nobody has judged yet.
    assert "3 of 3 mistakes of 'small' stand (1 were assumed to be right, 2 wait for an answer)" in said.err
    assert len(out.read_text().splitlines()) == 4


def test_a_campaign_that_verifies_nothing(database: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["campaign", "verified", NAME, "--database", database]) == 1
    assert "CURATION-21" in capsys.readouterr().err


def test_unknown_derivations_are_explained(database: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["campaign", "follow-up", NAME, "--as", "verify", "--name", "x", "--database", database]) == 1
    assert "verification, explanation-coding, responses" in capsys.readouterr().err


def test_reviews_as_tables_and_as_data(database: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["campaign", "reviews", NAME, "--database", database]) == 0
    assert "Accuracy of first versions" in capsys.readouterr().out
    assert run(["campaign", "reviews", NAME, "--database", database, "--json"]) == 0
    tables = json.loads(capsys.readouterr().out)["tables"]
    assert tables[0]["title"] == "Responses by what reviewers said"
    assert run(["campaign", "progress", NAME, "--database", database]) == 0
    assert "0 wait for approval, 0 returned to be amended, 1 approved" in capsys.readouterr().out
