"""`goldmark campaign stages`, `status`, `candidates` and `spot-check`."""

from __future__ import annotations

import json

import pytest

from goldmark.campaigns.transfer.restore import restore
from goldmark.cli import run
from goldmark.store import open_store
from tests.campaigns.house import NAME, House
from tests.datasets.house import campaign
from tests.reviews.test_unit_status import ERRONEOUS, FINE, answered


@pytest.fixture
def database(sqlite_database: str) -> str:
    store = open_store(sqlite_database)
    restore(store, campaign(), name="group", author="test")
    house = House.build(store, 5, "tgea", candidates={"above": 0.9, "after": 1}, review={"required": True})
    ada, bo = house.person("Ada"), house.person("Bo")
    house.judge(answered(house, ERRONEOUS, ada)[0], "approved", "Rhea")
    house.judge(answered(house, FINE, bo)[0], "approved", "Rhea")
    answered(house, {"verdict": "ambiguous"}, bo)
    store.close()
    return sqlite_database


def test_agreement_by_stage(database: str, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["campaign", "stages", "group", "--resamples", "50", "--database", database]
    assert run([*arguments, "--json"]) == 0
    (table,) = json.loads(capsys.readouterr().out)["tables"]
    rows = {row["stage"]: row for row in table["rows"]}
    # T1 fine fine; T2 erroneous three times (one excluded person said fine); T5 erroneous and fine: 2 of 3 texts.
    assert rows["erroneous or fine"]["agreement"] == pytest.approx(100 * 2 / 3)
    # T2: words 2-6, 2-3 and 2-3, so one of three pairs is the same.
    assert rows["erroneous spans, exact"]["agreement"] == pytest.approx(100 / 3)
    assert run(arguments) == 0
    assert "erroneous or fine" in capsys.readouterr().out
    assert run([*arguments, "--by-condition"]) == 1
    assert "STAGES-02" in capsys.readouterr().err


def test_status_candidates_and_spot_check(database: str, capsys: pytest.CaptureFixture[str]) -> None:
    where = ["--database", database]
    assert run(["campaign", "status", NAME, *where]) == 0
    assert "approved\t2" in capsys.readouterr().out
    assert run(["campaign", "status", NAME, "--json", *where]) == 0
    statuses = json.loads(capsys.readouterr().out)["statuses"]
    assert (statuses["approved"], statuses["waiting"], statuses["discarded"]) == (2, 1, 0)

    assert run(["campaign", "candidates", NAME, "--invite", "group", "--json", *where]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [(one["annotator"], one["outcome"]) for one in found["candidates"]] == [
        ("Ada", "passes"),
        ("Bo", "too few yet"),
    ]
    assert list(found["links"]) == ["Ada"]
    assert run(["campaign", "candidates", NAME, *where]) == 0
    said = capsys.readouterr()
    assert "1 of 2 pass: Ada" in said.err
    assert "errors.correction" in said.out
    assert run(["campaign", "candidates", "group", *where]) == 1
    assert "candidates: {above: 0.9, after: 20}" in capsys.readouterr().err

    assert run(["campaign", "spot-check", NAME, *where]) == 1
    assert "--draw 100" in capsys.readouterr().err
    assert run(["campaign", "spot-check", NAME, "--draw", "10", "--json", *where]) == 0
    drawn = json.loads(capsys.readouterr().out)
    assert (drawn["size"], drawn["of"], drawn["judged"]) == (2, 2, 0)
    assert run(["campaign", "spot-check", NAME, *where]) == 0
