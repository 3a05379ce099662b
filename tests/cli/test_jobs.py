"""`goldmark jobs` and `goldmark metrics compute`: data on standard output, talk on standard error."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from goldmark.cli import run
from goldmark.jobs import Job, enqueue
from goldmark.store import open_store
from tests.jobs import house

assert house  # its handlers are registered by being imported

Say = Callable[..., tuple[int, str, str]]


@pytest.fixture
def say(capsys: pytest.CaptureFixture[str], sqlite_database: str, monkeypatch: pytest.MonkeyPatch) -> Say:
    monkeypatch.setenv("GOLDMARK_DATABASE", sqlite_database)

    def one(*words: object) -> tuple[int, str, str]:
        capsys.readouterr()
        code = run([str(word) for word in words])
        out, err = capsys.readouterr()
        return code, out, err

    return one


@pytest.fixture
def asked(sqlite_database: str) -> Job:
    store = open_store(sqlite_database)
    job = store.write(lambda connection: enqueue(connection, "test.fail", {}, author="Ada", subject="zoo/alder"))
    store.close()
    return job


def test_a_job_is_listed_done_shown_and_done_again(say: Say, asked: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("signal.signal", lambda *_: None)  # not the signals of the tests themselves
    assert say("jobs", "list")[1].split() == [str(asked.id), "waiting", "test.fail", "zoo/alder"]
    code, out, err = say("jobs", "work", "--until-empty")
    assert (code, out) == (0, "")
    assert f"job {asked.id} test.fail zoo/alder: ZeroDivisionError: by zero" in err
    assert "1 job done" in err
    out = say("jobs", "show", asked.id, "--json", "--follow")[1]
    shown = json.loads(out)
    assert (shown["state"], shown["done"], shown["total"], shown["share"]) == ("failed", 3, 7, 3 / 7)
    assert "failed 43%" in say("jobs", "list", "--state", "failed")[1]
    assert say("jobs", "list", "--state", "done") == (0, "", "there are no such jobs\n")

    out = say("jobs", "rerun", asked.id, "--reason", "mended", "--json")[1]
    assert json.loads(out)["state"] == "waiting"
    code, _, err = say("jobs", "cancel", asked.id)
    assert (code, "cancelled" in err) == (0, True)
    code, _, err = say("jobs", "cancel", asked.id)
    assert (code, "JOB-02" in err) == (1, True)
    assert say("jobs", "show", 99)[0] == 1
    assert [one["id"] for one in json.loads(say("jobs", "list", "--json")[1])["jobs"]] == [asked.id]


def write(path: Path, rows: list[Any]) -> Path:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    outputs = [
        {"id": number, "output": output, "system": system}
        for system, texts in (("alder", ["the cat sat", "it rained"]), ("birch", ["a dog", ""]))
        for number, output in enumerate(texts)
    ]
    references = [{"id": 0, "references": ["the cat sat", "a cat sat"]}, {"id": 1, "reference": "it rained"}]
    return write(tmp_path / "outputs.jsonl", outputs), write(tmp_path / "references.jsonl", references)


def test_metrics_of_several_systems_and_of_every_text(say: Say, files: tuple[Path, Path], tmp_path: Path) -> None:
    outputs, references = files
    words = ("metrics", "compute", outputs, "--references", references, "--processes", 1)
    each = tmp_path / "each.csv"
    code, out, err = say(*words, "--metrics", "chrf,rouge1,nope", "--json", "--segments", each)
    assert code == 1, "one metric failed"
    assert "alder: nope: there is no metric 'nope'" in err
    found = json.loads(out)
    assert [(one["system"], one["metric"], one["value"]) for one in found["results"]][:2] == [
        ("alder", "chrf", 100.0),
        ("alder", "rouge1", 1.0),
    ]
    assert found["results"][0]["signature"].startswith("chrF2|nrefs:var|")
    assert found["results"][0]["signature"].endswith("|interval:jackknife")
    assert [one["metric"] for one in found["failed"]] == ["nope", "nope"]
    rows = list(csv.DictReader(each.read_text(encoding="utf-8").splitlines()))
    assert [(row["system"], row["item"], row["rouge1"]) for row in rows] == [
        ("alder", "0", "1.0"),
        ("alder", "1", "1.0"),
        ("birch", "0", "0.4"),  # one of two words and one of three: F1 = 2 * 1/2 * 1/3 / (5/6), with "a cat sat"
        ("birch", "1", "0.0"),
    ]
    code, out, _ = say(*words, "--metrics", "chrf")
    assert code == 0
    assert "birch" in out
    assert "1 of 2 outputs are empty" in out
    assert say(*words, "--metrics", "chrf") == (code, out, ""), "the same seed, the same table"


def test_every_problem_of_the_files_is_named_at_once(say: Say, tmp_path: Path) -> None:
    outputs = tmp_path / "o.jsonl"
    outputs.write_text(
        '{"id": "a", "output": "x"}\n{"id": "a", "output": "y"}\nnot json\n{"id": "z", "output": "x"}\n[]\n'
    )
    references = write(
        tmp_path / "r.jsonl", [{"id": "a", "reference": "x"}, {"id": "b", "references": []}, {"id": "c"}]
    )
    code, _, err = say("metrics", "compute", outputs, "--references", references)
    assert code == 1
    for line in (
        "o.jsonl:2  the id a comes a second time",
        "o.jsonl:3  this line is not JSON",
        "o.jsonl:4",
        "o.jsonl:5",
    ):
        assert line in err
    assert "r.jsonl:2  the id b has no reference" in err
    assert "r.jsonl:3" in err
    short = write(tmp_path / "s.jsonl", [{"id": "b", "output": "x"}])
    good = write(tmp_path / "g.jsonl", [{"id": "a", "reference": "x"}, {"id": "b", "reference": "x"}])
    assert "1 of 2 outputs are missing: a" in say("metrics", "compute", short, "--references", good)[2]
    assert "TIDY-01" in say("metrics", "compute", tmp_path / "none.txt")[2]


def test_plain_text_is_joined_by_lines(say: Say, tmp_path: Path) -> None:
    (tmp_path / "o.txt").write_text("one line\r\n\nthree\n", encoding="utf-8")
    (tmp_path / "r.txt").write_text("one line\nsecond\nthree\n", encoding="utf-8")
    words = (
        "metrics",
        "compute",
        tmp_path / "o.txt",
        "--references",
        tmp_path / "r.txt",
        "--metrics",
        "rougeL",
        "--json",
    )
    code, out, _ = say(*words)
    assert (code, json.loads(out)["results"][0]["value"]) == (0, pytest.approx(2 / 3))


def test_the_metrics_are_listed_with_their_options(say: Say) -> None:
    out = say("metrics", "list", "--json")[1]
    listed = {one["name"]: one for one in json.loads(out)["metrics"]}
    assert {"bleu", "chrf", "rouge1", "rouge2", "rougeL", "meteor", "bertscore", "bleurt"} <= set(listed)
    assert "tokenize" in listed["bleu"]["options"]
    assert "sacrebleu" in say("metrics", "list")[1]
