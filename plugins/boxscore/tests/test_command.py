"""The checker as people call it: found through its entry point, by its own command and by its name."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import zipfile
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from goldmark.checkers.plugins import CHECKERS
from goldmark.cli import run
from goldmark_boxscore.plugin import BOXSCORE
from invented_league import BOXES, SCHEDULE, row


def test_it_is_found_through_its_entry_point_and_in_no_other_way() -> None:
    (point,) = entry_points(group="goldmark.checkers", name="boxscore")
    assert point.load() is BOXSCORE
    plugin = CHECKERS.plugins()["boxscore"]
    assert (plugin.place, plugin.distribution) == (point.value, "goldmark")
    assert CHECKERS["boxscore"] is BOXSCORE


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
    assert 0 < float(found["PROBABILITY"]) < 1
    assert (summary["mode"], summary["expected_precision"]) == ("balanced", pytest.approx(float(found["PROBABILITY"])))
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
    assert run(["check", "list"]) == 0
    assert "season (optional)" in capsys.readouterr().out


def test_it_comes_in_the_same_wheel(tmp_path: Path) -> None:
    repository = Path(__file__).resolve().parents[3]
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps"]
    subprocess.run([*pip, "--no-build-isolation", "-w", str(tmp_path), str(repository)], check=True, timeout=300)
    (wheel,) = tmp_path.glob("goldmark-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        (points,) = (name for name in names if name.endswith("dist-info/entry_points.txt"))
        assert b"[goldmark.checkers]\nboxscore = goldmark_boxscore.plugin:BOXSCORE\n" in archive.read(points)
    assert {"goldmark_boxscore/plugin.py", "goldmark_boxscore/data/grammar.yaml", "goldmark/plugins.py"} <= names
    assert not [name for name in names if "test" in name and "goldmark_boxscore" in name]


def test_a_mode_that_there_is_not_is_told_before_anything_is_done(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.csv"
    assert run(["check", "boxscore", *write_task(tmp_path), "--out", str(out), "--mode", "lenient"]) == 1
    assert "has no mode 'lenient'; it has strict, balanced, generous [CHECK-16]" in capsys.readouterr().err
    assert not out.exists()
