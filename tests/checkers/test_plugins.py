"""Checkers as plug-ins, the table checker, and the command line."""

from __future__ import annotations

import csv
import json
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from goldmark.checkers import plugins
from goldmark.checkers.plugins import BrokenChecker, UnknownChecker, checker_type, checker_types
from goldmark.checkers.table.plugin import TableChecker, table_of
from goldmark.cli import run
from goldmark.texts.gsml import spaced_text, words_of
from tests.checkers.league import BOXES, SCHEDULE, row


def test_built_in_checkers_are_listed() -> None:
    assert set(checker_types()) >= {"boxscore", "table"}
    with pytest.raises(UnknownChecker, match="boxscore"):
        checker_type("boxscor")


def test_an_installed_package_can_offer_a_checker(monkeypatch: pytest.MonkeyPatch) -> None:
    def offered(value: str) -> None:
        point = EntryPoint("mine", value, plugins.GROUP)
        monkeypatch.setattr("goldmark.plugins.entry_points", lambda group: [point])

    offered("goldmark.checkers.table.plugin:TABLE")
    assert checker_types()["mine"].purpose.startswith("numbers and names")
    offered("goldmark.checkers.table.plugin:NOTHING")
    with pytest.raises(BrokenChecker, match="mine"):
        checker_types()


DATA = {
    "city": "Lyon",
    "temperature": [18.4, 21.6],
    "wind": "12 km/h",
    "station": {"name": "Mont Blanc", "height": 4808},
}


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("In Lyon it was 21.6 degrees with wind of 12 km/h .", []),
        ("It was 22 degrees .", []),  # 21.6, rounded
        ("It was 25 degrees .", ["25"]),
        ("The range was 40 degrees .", []),  # 18.4 + 21.6
        ("The station Mont Blanc lies at 4,808 metres .", []),
        ("The station Monte Rosa lies at 4634 metres .", ["Monte Rosa", "4634"]),
    ],
)
def test_the_table_checker_marks_what_the_data_lack(text: str, wrong: list[str]) -> None:
    whole = spaced_text("A", text)
    found = TableChecker({"A": table_of(DATA)}).check(whole)
    assert [words_of(whole, mistake.span) for mistake in found.mistakes] == wrong


def write_task(folder: Path) -> list[str]:
    texts, tables = folder / "texts", folder / "season"
    texts.mkdir()
    tables.mkdir()
    (texts / "T1.txt").write_text("Conrad Vale led the Badgers with 20 points .", encoding="utf-8")
    (texts / "T2.txt").write_text("No game is about this .", encoding="utf-8")
    (texts / "T3.txt").write_text("", encoding="utf-8")
    (tables / "schedule.csv").write_text(SCHEDULE, encoding="utf-8")
    (tables / "players.csv").write_text(BOXES, encoding="utf-8")
    games = [row(), row(shared_task_text_id="T3")]
    (folder / "games.jsonl").write_text("\n".join(map(json.dumps, games)) + "\n{\n", encoding="utf-8")
    teams = [{"name": name, "city": city} for name, city in (("Herons", "Port Ansel"), ("Badgers", "Thornwick"))]
    (folder / "league.json").write_text(json.dumps(teams), encoding="utf-8")
    return [
        "--games", str(folder / "games.jsonl"), "--texts", str(texts),
        "--season", str(tables), "--league", str(folder / "league.json"),
    ]  # fmt: skip


def test_the_command_checks_what_it_can_and_says_what_it_could_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, claims = tmp_path / "out.csv", tmp_path / "claims.jsonl"
    options = write_task(tmp_path)
    assert run(["check", "boxscore", *options, "--out", str(out), "--explain", str(claims), "--json"]) == 0
    printed = capsys.readouterr()
    summary = json.loads(printed.out)
    assert (summary["texts"], summary["checked"], summary["mistakes"]) == (3, 1, 1)
    assert "games.jsonl:3" in printed.err
    assert "text T2 cannot be checked: no game" in printed.err
    assert "text T3 cannot be checked: it is empty" in printed.err
    (found,) = csv.DictReader(out.read_text(encoding="utf-8").splitlines())
    assert (found["TOKENS"], found["TYPE"], found["CORRECTION"]) == ("20", "NUMBER", "24")
    rows = [json.loads(line) for line in claims.read_text(encoding="utf-8").splitlines()]
    assert {row["verdict"] for row in rows} == {"supported", "contradicted"}
    assert rows[-1]["reading"] == {"kind": "leader", "about": "Conrad Vale", "player": "Conrad Vale", "verb": "led",
                                   "scope": "Badgers", "stat": "points"}  # fmt: skip


def test_relations_and_list_print_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = write_task(tmp_path)
    assert run(["check", "relations", *options, "--reference", options[3], "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["rg_precision"] == 0.0  # the only relation, 20 points, is wrong
    assert figures["cs_recall"] == 1.0  # a text selects what it selects itself
    assert run(["check", "list", "--json"]) == 0
    names = [entry["name"] for entry in json.loads(capsys.readouterr().out)["checkers"]]
    assert names == sorted(names)
    assert run(["check", "list"]) == 0
    assert "season (optional)" in capsys.readouterr().out


def test_any_checker_can_be_run_by_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "A.txt").write_text("It was 25 degrees .", encoding="utf-8")
    (tmp_path / "tables.jsonl").write_text(json.dumps({"text": "A", "data": DATA}) + "\n[]\nx\n", encoding="utf-8")
    common = ["--texts", str(tmp_path / "texts"), "--out", str(tmp_path / "out.csv")]
    source = f"tables={tmp_path / 'tables.jsonl'}"
    assert run(["check", "run", "table", *common, "--source", source]) == 0
    assert "1 mistakes in 1 of 1 texts" in capsys.readouterr().err
    assert run(["check", "table", "--tables", str(tmp_path / "tables.jsonl"), *common]) == 0
    assert run(["check", "run", "table", *common]) == 1
    assert "[CHECK-12]" in capsys.readouterr().err
    assert run(["check", "run", "table", *common, "--source", "tables"]) == 1
    assert "[CHECK-15]" in capsys.readouterr().err
