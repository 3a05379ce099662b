"""Evidence, exclusions and pay on the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from goldmark.cli import run
from goldmark.store import Store, open_store
from tests.campaigns.house import NAME, House


@pytest.fixture
def house(sqlite_database: str, monkeypatch: pytest.MonkeyPatch) -> House:
    monkeypatch.setenv("GOLDMARK_DATABASE", sqlite_database)
    store: Store = open_store(sqlite_database)
    made = House.build(store, 3, labels_per_unit=1, pay={"per_unit": 0.05, "target_hourly": 36.0})
    ada = made.person("Ada")
    for _ in range(2):
        made.submit(ada, made.task(ada))
    store.close()
    return made


def said(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    capsys.readouterr()
    assert run([*words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_someone_is_excluded_and_brought_back(house: House, capsys: pytest.CaptureFixture[str]) -> None:
    done = said(capsys, "annotators", "exclude", NAME, "Ada", "--reason", "noise", "--rule", "too fast")
    assert (done["changed"], done["labels"], done["places"]) == (True, 2, 3)
    table = said(capsys, "annotators", "evidence", NAME)
    assert "too fast: 1" in json.dumps(table)
    assert '"state": "excluded"' in json.dumps(table)
    assert said(capsys, "annotators", "restore", NAME, "Ada")["labels"] == 2
    assert run(["annotators", "restore", NAME, "Ada"]) == 0
    assert "was not excluded" in capsys.readouterr().err
    assert run(["annotators", "exclude", NAME, "Nobody"]) == 1
    assert "JOIN-03" in capsys.readouterr().err


def test_someone_is_warned(house: House, capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys, "annotators", "warn", NAME, "Ada", "--message", "Slower.") == {
        "annotator": "Ada",
        "warned": True,
    }


def test_pay_prints_prices_and_writes_the_bonus_list(
    house: House, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    bonus = tmp_path / "bonus.csv"
    found = said(capsys, "campaign", "pay", NAME, "--bonus", str(bonus))
    # 10 s a unit at 36 an hour are 0.10; 0.05 is paid, so 2 x 0.05 are missing.
    assert found["suggested"]["value"] == 0.10
    assert found["people"][0]["bonus"] == 0.10
    assert bonus.read_text().splitlines()[1].startswith("Ada,active,2,")
    assert run(["campaign", "pay", NAME]) == 0
    assert "a fair price: 0.10 USD" in capsys.readouterr().out


def test_a_rehearsal_shows_what_would_happen(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    rows = [{"id": f"u{number}", "text": "So it is.", "system": "alder"} for number in range(4)]
    (tmp_path / "texts.jsonl").write_text("\n".join(json.dumps(row) for row in rows))
    plan = tmp_path / "plan.yaml"
    plan.write_text(
        "campaign: plan\nprotocol: accuracy\ntexts: {path: texts.jsonl}\nlabels_per_unit: 2\npay: {per_unit: 0.5}\n"
    )
    crowd = ["--careful", "2", "--sloppy", "0", "--spammers", "1", "--drop-outs", "0"]
    found = said(capsys, "campaign", "rehearse", str(plan), *crowd)
    assert found["planned"]["labels_wanted"] == 8
    assert found["planned"]["labels_done"] == 8
    assert found["planned"]["cost"] == 4.0
    assert found["planned"]["spammers"] == 3
    assert len(found["planned"]["scores"]) == 1
