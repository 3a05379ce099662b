"""`goldmark campaign suggest`: a list's marks onto a campaign's texts, and off them again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from goldmark.cli import run
from goldmark.store import open_store
from goldmark.texts.readers.gsml import COLUMNS
from tests.campaigns.house import NAME, House


def test_given_and_taken_away(sqlite_database: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = open_store(sqlite_database)
    House.build(store, 2)
    store.close()
    found = tmp_path / "found.csv"
    found.write_text(f"{','.join(COLUMNS)}\nu1,1,1,Friday,5,5,5,5,NAME,Sunday,\n", encoding="utf-8")
    command, where = ["campaign", "suggest", NAME], ["--database", sqlite_database]
    assert run([*command, str(found), *where]) == 0
    assert capsys.readouterr().err == "'small': 1 text has 1 suggestion now\n"
    assert run([*command, "--take-away", "--json", *where]) == 0
    assert json.loads(capsys.readouterr().out) == {"campaign": "small", "texts": 1, "marks": 0, "left": []}
    for wrong in ([*command, *where], [*command, str(found), "--take-away", *where]):
        assert run(wrong) == 1
        assert "SUGGESTIONS-03" in capsys.readouterr().err
    assert run([*command, str(tmp_path / "none.csv"), *where]) == 1
