"""What all commands share: the options of output and how what was found is given."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import defaultdict
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import pytest

from goldmark.cli import run
from goldmark.cli.options import OnDatabase, Output, PlotOutput, TableOutput
from goldmark.cli.output import emit, emit_check, explain, plain
from goldmark.cli.store import opened
from goldmark.errors import Problem, ProblemsFound, condensed
from goldmark.records.figures import Figure, Interval
from goldmark.records.tables import Table
from goldmark.store import Store
from tests.commands_page import FOLDER

TABLE = Table.of("Scores", [{"system": "a", "mean": 0.5, "mean_low": 0.4, "mean_high": 0.6}], notes=("so it is",))


class Part(NamedTuple):
    at: datetime
    file: Path


@dataclass(frozen=True)
class Whole:
    parts: tuple[Part, ...]
    figure: Figure
    nothing: None = None


def test_a_record_is_given_by_the_names_of_its_parts() -> None:
    whole = Whole((Part(datetime(2026, 5, 4, tzinfo=UTC), Path("a/b")),), Figure(0.5, Interval(0.4, 0.6), used=9))
    assert plain({"whole": whole}) == {
        "whole": {
            "parts": [{"at": "2026-05-04T00:00:00+00:00", "file": "a/b"}],
            "figure": {"value": 0.5, "interval": [0.4, 0.6], "reason": "", "used": 9},
            "nothing": None,
        }
    }


def test_people_get_tables_lines_and_talk_and_machines_get_data(capsys: pytest.CaptureFixture[str]) -> None:
    emit(TableOutput(format="csv"), {"mean": 0.5}, "done", tables=[TABLE, TABLE], lines=["one"])
    out, err = capsys.readouterr()
    assert (
        out == "system,mean,mean_low,mean_high\na,0.5,0.4,0.6\n\nsystem,mean,mean_low,mean_high\na,0.5,0.4,0.6\none\n"
    )
    assert err.splitlines() == ["so it is", "", "so it is", "", "done"]
    emit(Output(json=True), {"mean": 0.5}, "done", tables=[TABLE], lines=["one"])
    out, err = capsys.readouterr()
    assert (json.loads(out), err) == ({"mean": 0.5}, "")
    emit(TableOutput(json=True), tables=[TABLE])
    assert json.loads(capsys.readouterr().out)["tables"][0]["title"] == "Scores"


def test_a_picture_is_drawn_where_it_is_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    emit(PlotOutput(plot=tmp_path / "a.svg"), tables=[TABLE], picture=("mean", ("system",)))
    assert "<svg" in (tmp_path / "a.svg").read_text("utf-8")
    assert "Scores" in capsys.readouterr().out


def test_a_check_gives_every_problem_to_machines_and_fails(capsys: pytest.CaptureFixture[str]) -> None:
    def wrong() -> tuple[dict[str, int], str]:
        raise ProblemsFound([Problem("a.yaml:3", "it is wrong", "mend it", "key")])

    assert emit_check(Output(json=True), wrong) == 1
    out, err = capsys.readouterr()
    problem = {"where": "a.yaml:3", "what": "it is wrong", "remedy": "mend it", "part": "key"}
    assert json.loads(out) == {"ok": False, "problems": [problem]}
    assert err == "1 problem; nothing was changed\n"
    with pytest.raises(ProblemsFound):  # which `run` tells to people
        emit_check(Output(), wrong)
    assert emit_check(Output(json=True), lambda: ({"units": 2}, "all is right")) == 0
    assert json.loads(capsys.readouterr().out) == {"ok": True, "problems": [], "units": 2}


def test_the_database_is_closed_also_when_a_command_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Store] = []

    def failing() -> None:
        with opened(OnDatabase(str(tmp_path / "a.db"))) as store:
            monkeypatch.setattr(type(store), "close", lambda one: seen.append(one))
            raise ProblemsFound([])

    with pytest.raises(ProblemsFound):
        failing()
    assert len(seen) == 1
    monkeypatch.undo()
    seen[0].close()


def test_an_option_that_commands_share_says_the_same_everywhere() -> None:
    said: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    command = ""
    for line in "\n".join(page.read_text("utf-8") for page in sorted(FOLDER.iterdir())).splitlines():
        if line.startswith("#"):
            command = line.lstrip("# ")
        elif found := re.match(r"\* `--(json|format CHOICE|plot PATH|database STR|resamples INT)`: (.*)", line):
            said[found[1]][re.sub(r" ?\*\[default: .*?\]\*", "", found[2])].append(command)
    others = {option: [name for names in list(texts.values())[1:] for name in names] for option, texts in said.items()}
    assert {option: names for option, names in others.items() if names} == {
        "json": ["protocol show"],  # what an annotator's page receives
        "plot PATH": ["study analyse"],  # of histograms
    }


@pytest.mark.parametrize("command", ["agreement", "study code x --name y"])
def test_a_negative_seed_is_wrong_usage(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    rest = {"score": ["a.csv", "b.csv", "--texts", "t"], "agreement": ["a.csv"]}.get(command, [])
    assert run([*command.split(), *rest, "--seed", "-1"]) == 2
    assert "Must be >= 0" in capsys.readouterr().err


def test_a_file_that_cannot_be_written_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    texts = tmp_path / "texts.jsonl"
    texts.write_text('{"id": "g1", "text": "The Herons won by 27. Chidi Umeh led all scorers."}\n', "utf-8")
    out, listed = str(tmp_path / "out.jsonl"), str(tmp_path / "nowhere" / "list.csv")
    assert run(["text", "introduce-errors", str(texts), "--domain", "lantern", "--out", out, "--list", listed]) == 1
    assert "[WRITE-01]" in capsys.readouterr().err


def test_the_help_of_a_noun_says_what_each_of_its_verbs_does() -> None:
    # A process of its own: here other tests have loaded the verbs already.
    told = subprocess.run([sys.executable, "-m", "goldmark", "study", "--help"], capture_output=True, text=True)
    assert told.returncode == 0
    assert "│ analyse " in told.stdout
    assert not re.search(r"^│ [a-z-]+ +│$", told.stdout, re.MULTILINE)


def test_what_the_system_refuses_is_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").touch()
    assert run(["demo", "start", "--folder", str(tmp_path / "file")]) == 1
    assert "file: File exists [SYSTEM-01]" in capsys.readouterr().err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device that is always full")
def test_output_that_has_no_room_is_a_sentence() -> None:
    with Path("/dev/full").open("w") as full:
        told = subprocess.run(
            [sys.executable, "-m", "goldmark", "protocol", "list"], stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert (told.returncode, told.stderr) == (1, "the output cannot be written: [Errno 28] No space left on device\n")


@pytest.mark.parametrize(
    ("noun", "gives_way"), [("campaign", True), ("dataset", True), ("serve", False), ("score", False)]
)
def test_what_works_on_a_servers_database_gives_way_to_that_server(noun: str, gives_way: bool) -> None:
    code = "import os; os.nice = lambda by: print('gave way by', by); from goldmark.cli import main; main()"
    ran = subprocess.run([sys.executable, "-c", code, noun, "-h"], capture_output=True, text=True, check=True)
    assert ("gave way by 10" in ran.stdout) == gives_way


def test_problems_of_one_kind_are_told_a_few_times_and_then_counted(capsys: pytest.CaptureFixture[str]) -> None:
    many = [Problem(f"texts.jsonl:{line}", f'the text "{line}" is longer than {line} words') for line in range(1, 41)]
    explain(ProblemsFound([*many, Problem("texts.jsonl:99", "the text is empty")]))

    told = capsys.readouterr().err.splitlines()

    assert told[:5] == [str(one) for one in many[:5]]
    assert told[5:7] == ["…  and 35 more of this kind, the last at texts.jsonl:40", "texts.jsonl:99  the text is empty"]
    assert told[7].startswith("41 problems")


def test_a_single_one_more_of_a_kind_is_told_itself() -> None:
    six = [Problem(f"texts.jsonl:{line}", "the text is empty") for line in range(6)]

    assert condensed(six) == six
