"""`goldmark curation` as a person or a program meets it, from marks to the verified list."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from goldmark.campaigns.definition.file import read_campaign
from goldmark.cli import run
from goldmark.exchange.formats import export_campaign
from goldmark.records.campaigns import AnnotatorRecord, AssignmentRecord, CampaignRecord, ResponseRecord
from goldmark.texts.readers.gsml import COLUMNS, write_mistakes
from tests.curation.marks import marks_of, text_of

TEXT = text_of("Ann led the bench with 30 points . Bo had 9 steals .", "a")
OTHER = text_of("Nothing is wrong here .", "b")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "texts").mkdir()
    for text in (TEXT, OTHER):
        (tmp_path / "texts" / f"{text.id}.txt").write_text(text.characters)
    marks = [
        *marks_of(TEXT, "A", "the bench^W", "30^U=28", "9^U"),
        *marks_of(TEXT, "B", "bench^W", "30^U=28"),
        *marks_of(TEXT, "C", "30^U=27"),
    ]
    texts = {"a": TEXT, "b": OTHER}
    (tmp_path / "marks.csv").write_text(write_mistakes(marks, texts, annotators=True))
    (tmp_path / "seen.csv").write_text("TEXT_ID,ANNOTATOR\nb.txt,A\nb.txt,B\na.txt,C\n")
    return tmp_path


def propose(*more: str) -> int:
    return run(["curation", "propose", "marks.csv", "--texts", "texts", "--out", "gold.csv", *more])


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_a_proposal_with_counts_that_score_can_read(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert propose("--seen", "seen.csv", "--left-out", "left.csv") == 0
    captured = capsys.readouterr()
    assert "2 mistakes proposed in 2 texts, 1 of them unanimous; 1 reported errors left out" in captured.err
    assert "method:meaning|least:majority|figures:apart|protocol:accuracy/1" in captured.out
    rows = rows_of(folder / "gold.csv")
    assert list(rows[0])[: len(COLUMNS)] == list(COLUMNS)
    assert [(row["TOKENS"], row["FOUND_BY"], row["SPAN_AGREED_BY"], row["CORRECTION"]) for row in rows] == [
        ("bench", "2", "1", ""),
        ("30", "3", "3", "28"),
    ]
    assert [(row["TOKENS"], row["ANNOTATOR"]) for row in rows_of(folder / "left.csv")] == [("9", "A")]
    assert run(["score", "gold.csv", "gold.csv", "--texts", "texts", "--json"]) == 0


def test_json_has_all_that_a_page_needs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert propose("--seen", "seen.csv", "--json") == 0
    data = json.loads(capsys.readouterr().out)
    first, second = data["texts"]
    assert (second["annotators"], second["mistakes"]) == (["A", "B"], [])
    bench = first["mistakes"][0]
    assert (bench["tokens"], bench["sentence"], bench["unanimous"]) == ("bench", 0, False)
    assert [(source["annotator"], source["tokens"]) for source in bench["sources"]] == [
        ("A", "the bench"),
        ("B", "bench"),
    ]
    assert first["left_out"][0]["tokens"] == "9"


def test_nothing_is_overwritten(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "gold.csv").write_text("mine")
    assert propose() == 1
    assert "[EXCHANGE-11]" in capsys.readouterr().err
    assert (folder / "gold.csv").read_text() == "mine"


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["--seen", "none.csv"], 1, "[TIDY-01]"),
        (["--protocol", "rating-qa"], 1, "[CURATION-04]"),
        (["--protocol", "tgea"], 1, "category 'WORD' is not known"),
        (["--least", "4"], 1, "[CURATION-03]"),
        (["--least", "0"], 2, ""),
        (["--method", "guess"], 2, ""),
    ],
)
def test_mistakes_of_users(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], code: int, words: str
) -> None:
    assert propose(*arguments) == code
    captured = capsys.readouterr()
    assert words in captured.out + captured.err
    assert "Traceback" not in captured.out + captured.err
    assert not (folder / "gold.csv").exists()


def test_texts_that_were_seen_must_be_known(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "seen.csv").write_text("TEXT_ID,ANNOTATOR\na,A\nx,A\n")
    assert propose("--seen", "seen.csv") == 1
    assert "seen.csv:3  text 'x' is not known" in capsys.readouterr().err


def test_a_table_beside_the_list_says_who_saw_what(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert propose("--json") == 0
    told = capsys.readouterr()
    assert "who saw which text was read from seen.csv" in told.err
    (folder / "gold.csv").unlink()
    assert propose("--json", "--seen", "seen.csv") == 0
    assert capsys.readouterr().out == told.out


def test_lists_without_a_mark(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    header = (folder / "marks.csv").read_text().splitlines()[0]
    (folder / "marks.csv").write_text(f"{header}\n")
    (folder / "seen.csv").unlink()
    assert propose() == 0
    assert "0 mistakes proposed in 0 texts" in capsys.readouterr().err
    assert rows_of(folder / "gold.csv") == []


def test_differences_and_webanno(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert propose() == 0
    assert run(["curation", "export", "gold.csv", "--texts", "texts", "--out", "tsv"]) == 0
    assert run(["curation", "import", "tsv", "--texts", "texts", "--out", "back.csv"]) == 0
    assert run(["curation", "diff", "gold.csv", "back.csv", "--texts", "texts"]) == 0
    assert "0 differences" in capsys.readouterr().err
    (folder / "new.csv").write_text((folder / "back.csv").read_text().replace(",NUMBER,28,", ",WORD,28,"))
    assert run(["curation", "diff", "gold.csv", "new.csv", "--texts", "texts", "--json"]) == 0
    (change,) = json.loads(capsys.readouterr().out)["changes"]
    assert (change["kind"], change["what"], change["new"]["label"]) == ("changed", ["label"], "WORD")
    assert run(["curation", "diff", "gold.csv", "new.csv", "--texts", "texts"]) == 0
    assert "6-6 30 [NUMBER] -> 28" in capsys.readouterr().out


def test_from_the_gold_list_to_verifiers_and_back(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert propose("--seen", "seen.csv") == 0
    made = ["curation", "verify-units", "gold.csv", "marks.csv", "--texts", "texts", "--out", "second", "--json"]
    capsys.readouterr()
    assert run([*made, "--seen", "seen.csv"]) == 0
    captured = capsys.readouterr()
    facts = json.loads(captured.out)
    # "30" is unanimous; shown are "bench", its variant "the bench", and "9", which only A reported.
    assert (facts["units"], facts["gold"], facts["not_in_gold"], facts["assumed"]) == (3, 1, 2, 1)
    assert facts["answers_wanted"] == 12
    plan = read_campaign(folder / "second" / "campaign.yaml")
    yes = {"error": "yes", "category_right": "yes", "subjective": "no"}
    no = {"error": "no", "subjective": "no"}
    said = {"a:3-4": (yes, yes, yes, yes), "a:4-4": (yes, no, no, no), "a:11-11": (yes, yes, yes, no)}
    responses = [
        ResponseRecord(unit, f"V{number}", 1, True, answer)
        for unit, answers in said.items()
        for number, answer in enumerate(answers, start=1)
    ]
    record = CampaignRecord(
        units=plan.units,
        annotators=tuple(AnnotatorRecord(f"V{number}") for number in range(1, 5)),
        assignments=tuple(AssignmentRecord(one.unit, one.annotator, "done") for one in responses),
        responses=tuple(responses),
    )
    for form, path in (("jsonl", "answers.jsonl"), ("csv", "answers"), ("parquet", "answers.zip")):
        export_campaign(record, form, folder / path)
    files = ["--gold", "gold.csv", "--mistakes", "marks.csv", "--texts", "texts", "--seen", "seen.csv"]
    for number, path in enumerate(("answers.jsonl", "answers", "answers.zip")):
        out = ["--out", f"verified{number}.csv", "--removed", f"removed{number}.csv", "--rows", f"rows{number}"]
        assert run(["curation", "verified", path, *files, *out, "--json", "--resamples", "50"]) == 0
        captured = capsys.readouterr()
        assert [row["TOKENS"] for row in rows_of(folder / f"verified{number}.csv")] == ["30"]
        assert [row["TOKENS"] for row in rows_of(folder / f"removed{number}.csv")] == ["bench"]
        assert (
            "1 of 2 mistakes stand (1 were assumed to be right, 0 wait for an answer); 1 were removed" in captured.err
        )
    tables = {table["title"]: table for table in json.loads(captured.out)["tables"]}
    agreement = tables["Errors by agreement of their verifiers"]["rows"]
    assert [(row["agreement"], row["errors"]) for row in agreement] == [("assumed valid", 1), ("3/4 not error", 1)]
    precision = {row["combination"]: row["any"] for row in tables["Precision of annotator combinations"]["rows"]}
    # A reported "the bench", 30 and 9, all right; B "bench" (wrong) and 30; C 30.
    assert (precision["A"], precision["B"], precision["C"], precision["A-B-C"]) == (1.0, 0.5, 1.0, 0.75)
    recall = {row["combination"]: row["all"] for row in tables["Recall of annotator combinations"]["rows"]}
    assert recall["A-B-C"] == 1.0
    assert run(["table", "verification", "rows0/verification.csv", "--json"]) == 0


def test_full_agreement_needs_no_verification(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    marks = [mark for name in "ABC" for mark in marks_of(TEXT, name, "30^U")]
    (folder / "marks.csv").write_text(write_mistakes(marks, {"a": TEXT}, annotators=True))
    assert propose() == 0
    assert run(["curation", "verify-units", "gold.csv", "marks.csv", "--texts", "texts", "--out", "second"]) == 1
    assert "[CURATION-23]" in capsys.readouterr().err
    assert not (folder / "second").exists()
