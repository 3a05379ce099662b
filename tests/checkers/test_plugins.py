"""Checkers as plug-ins, the table checker, and the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from goldmark.checkers.plugins import CheckedText, CheckerType, ModeUnknown
from goldmark.checkers.run import CheckRun, in_mode
from goldmark.checkers.table.plugin import TableChecker, table_of
from goldmark.cli import run
from goldmark.errors import ProblemsFound
from goldmark.records.mistakes import Mistake
from goldmark.records.spans import Span
from goldmark.texts.readers.gsml import parse_mistakes, spaced_text, words_of, write_mistakes


def test_an_unknown_checker_is_told_with_those_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "run", "tabel", "--texts", "texts", "--out", "out.csv"]) == 1
    said = capsys.readouterr().err
    assert "there is no checker 'tabel' (did you mean 'table'?); there are" in said
    assert "[PLUGIN-01]" in said


def test_the_list_says_what_each_needs(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "list", "--json"]) == 0
    names = [entry["name"] for entry in json.loads(capsys.readouterr().out)["checkers"]]
    assert "table" in names
    assert names == sorted(names)


def test_a_mode_reports_what_the_checker_is_sure_enough_of() -> None:
    kind = CheckerType("sure", "for this test", {}, lambda _: (TableChecker({}), []), modes={"strict": 0.9, "all": 0.0})
    marks = [
        Mistake("A", Span(0, 1), "WORD", probability=0.95),
        Mistake("A", Span(1, 2), "WORD", probability=0.5),
        Mistake("A", Span(2, 3), "WORD"),  # of a checker that does not say
    ]
    outcome = CheckRun({"A": CheckedText(tuple(marks))}, ())
    assert [one.probability for one in in_mode(outcome, kind, "strict").mistakes] == [0.95, None]
    assert len(in_mode(outcome, kind, "all").mistakes) == len(in_mode(outcome, kind, None).mistakes) == 3
    doubt = Mistake("A", Span(0, 1), "NAME", probability=0.1)
    outcome = CheckRun({"A": CheckedText(tuple(marks[1:]), doubts=(doubt,))}, ())
    assert [one.probability for one in in_mode(outcome, kind, "all").mistakes] == [0.1, 0.5, None]
    assert len(in_mode(outcome, kind, None).mistakes) == 2
    with pytest.raises(ModeUnknown, match="it has strict, all"):
        in_mode(outcome, kind, "lenient")


def test_how_sure_a_checker_is_goes_through_its_list() -> None:
    texts = {"A": spaced_text("A", "It was 25 degrees .")}
    listed = write_mistakes([Mistake("A", Span(2, 3), "NUMBER", probability=0.75)], texts)
    assert listed.splitlines()[0].endswith(",COMMENT,PROBABILITY")
    assert [one.probability for one in parse_mistakes(listed, texts)] == [0.75]
    for wrong in ("often", "2", "nan"):
        with pytest.raises(ProblemsFound, match="PROBABILITY is"):
            parse_mistakes(listed.replace("0.75", wrong), texts)
    assert "PROBABILITY" not in write_mistakes([Mistake("A", Span(2, 3), "NUMBER")], texts)


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


def test_any_checker_can_be_run_by_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "A.txt").write_text("It was 25 degrees .", encoding="utf-8")
    (tmp_path / "tables.jsonl").write_text(json.dumps({"text": "A", "data": DATA}) + "\n[]\nx\n", encoding="utf-8")
    common = ["--texts", str(tmp_path / "texts"), "--out", str(tmp_path / "out.csv")]
    source = f"tables={tmp_path / 'tables.jsonl'}"
    assert run(["check", "run", "table", *common, "--source", source]) == 0
    assert "1 mistake in 1 of 1 texts" in capsys.readouterr().err
    assert run(["check", "table", "--tables", str(tmp_path / "tables.jsonl"), *common]) == 0
    assert run(["check", "run", "table", *common]) == 1
    assert "[CHECK-12]" in capsys.readouterr().err
    assert run(["check", "run", "table", *common, "--source", "tables"]) == 1
    assert "[CHECK-15]" in capsys.readouterr().err
