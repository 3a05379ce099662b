"""`goldmark dataset`: build, import, show, check."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from goldmark.campaigns.transfer.restore import restore
from goldmark.cli import run
from goldmark.exchange.formats import export_bytes
from goldmark.store import open_store
from tests.datasets.house import campaign
from tests.datasets.test_imports import LINES, write


def test_a_campaign_and_its_export_become_the_same_dataset(
    sqlite_database: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = open_store(sqlite_database)
    restore(store, campaign(), author="test")
    store.close()
    bundle = tmp_path / "small.jsonl"
    bundle.write_bytes(export_bytes(campaign(), "jsonl")[1])
    assert (
        run(["dataset", "build", "small", "--out", str(tmp_path / "a"), "--database", sqlite_database, "--json"]) == 0
    )
    made = json.loads(capsys.readouterr().out)
    assert made["texts"] == {"train": 3, "dev": 0, "test": 0}
    assert run(["dataset", "build", str(bundle), "--out", str(tmp_path / "b"), "--licence", "CC0-1.0"]) == 0
    said = capsys.readouterr().err
    assert "left out: 1 text, no majority" in said
    assert (tmp_path / "a/jsonl/train.jsonl").read_bytes() == (tmp_path / "b/jsonl/train.jsonl").read_bytes()


def test_an_imported_dataset_is_shown_and_checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path / "mine.jsonl", LINES)
    out = tmp_path / "out"
    assert run(["dataset", "import", "spans", str(path), "--out", str(out), "--split", "1:0:0"]) == 0
    assert run(["dataset", "check", str(out)]) == 0
    assert run(["dataset", "show", str(out), "--plot", str(tmp_path / "types.png")]) == 0
    assert (tmp_path / "types.png").stat().st_size > 1000
    assert "verb" in capsys.readouterr().out
    (out / "LICENSE").write_text("mine")
    capsys.readouterr()
    assert run(["dataset", "check", str(out), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["problems"][0]["where"] == "LICENSE"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["check", "nowhere"], "DATASET-13"),
        (["build", "nowhere.jsonl", "--out", "x"], "DATASET-03"),
        (["import", "spans", "nowhere.jsonl", "--out", "x"], "PROBLEMS-01"),
        (["import", "haluquestqa", "nowhere", "--out", "x"], "DATASET-17"),
    ],
)
def test_a_mistake_is_a_sentence(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["dataset", *arguments]) == 1
    assert said in capsys.readouterr().err
