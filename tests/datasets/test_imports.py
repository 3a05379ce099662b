"""Other people's annotations as datasets: published ones, and any spans in a file."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from goldmark.datasets.release.build import Options, build
from goldmark.datasets.release.integrity import check
from goldmark.datasets.release.loader import Dataset
from goldmark.datasets.sources.haluquestqa import HaluQuestQA, find_words
from goldmark.datasets.sources.quintd1 import NoQuintd, Quintd1
from goldmark.datasets.sources.spans import SpansFile
from goldmark.errors import ProblemsFound


def test_words_are_found_whatever_happened_to_their_edges() -> None:
    text = "It's called supersampling, and (basically) gives more options."
    assert text[slice(*(find_words("Called supersampling and basically gives", text) or (0, 0)))] == (
        "called supersampling, and (basically) gives"
    )
    assert find_words("ANSWER1:", text) == (0, len(text))
    assert find_words("not there", text) is None
    assert find_words("!?", text) is None


def test_published_annotations_are_read(shared_data: Path) -> None:
    """Some of each; all of them, built and counted, are for the slow run."""
    answers = list(islice(HaluQuestQA(shared_data / "haluquestqa").texts(), 40))
    assert all(
        {one.system, other.system} == {"human", "gpt-4"} for one, other in zip(answers[::2], answers[1::2], strict=True)
    )
    assert {error.label for one in answers for reading in one.readings for error in reading.errors} == {
        "factuality",
        "incomplete_ans",
        "irrelevance",
        "reference_example",
    }
    outputs = list(islice(Quintd1(shared_data / "quintd1").texts(), 5))
    found = [(reading.annotator, len(reading.errors)) for one in outputs for reading in one.readings]
    assert found == [("h001", 3), ("h002", 1), ("h013", 0), ("h024", 0), ("h035", 1), ("h102", 0)]


@pytest.mark.slow
def test_haluquestqa(shared_data: Path, tmp_path: Path) -> None:
    source = HaluQuestQA(shared_data / "haluquestqa")
    manifest = build(source, tmp_path / "out", Options())
    # 698 questions with two answers each; its README counts spans of every kind, of which 4 cannot be found.
    assert sum(manifest.texts.values()) == 2 * 698
    assert manifest.tasks == ("detect", "spans", "type", "rationale")
    assert manifest.types == ("factuality", "incomplete_ans", "irrelevance", "reference_example")
    assert (source.found, source.lost) == (manifest.errors, 4)
    assert manifest.systems == {"gpt-4": 698, "human": 698}
    assert manifest.annotators == 21
    assert check(tmp_path / "out") == []


@pytest.mark.slow
def test_quintd1(shared_data: Path, tmp_path: Path) -> None:
    source = Quintd1(shared_data / "quintd1")
    manifest = build(source, tmp_path / "out", Options(source.choose))
    assert sum(manifest.texts.values()) == 2000
    assert manifest.left_out == {"nobody has answered": 6}
    assert manifest.tasks == ("detect", "spans", "type")
    # Errors per output of gpt-3.5 as its README computes them: 1.39.
    rows = [row for split in ("train", "dev", "test") for row in Dataset(tmp_path / "out").rows(split)]
    counts = [len(row["errors"]) for row in rows if row["system"] == "gpt-3.5"]
    assert sum(counts) / len(counts) == pytest.approx(1.39, abs=0.005)


def test_a_folder_that_is_not_quintd1_is_named(tmp_path: Path) -> None:
    with pytest.raises(NoQuintd, match="annotations"):
        list(Quintd1(tmp_path).texts())


LINES: list[dict[str, Any]] = [
    {
        "id": "a",
        "text": "The cat barked.",
        "annotator": "x",
        "errors": [
            {
                "start": 8,
                "end": 14,
                "label": "verb.sound",
                "correction": "meowed",
                "rationale": "Cats meow.",
                "associated": [{"start": 4, "end": 7}],
            }
        ],
    },
    {
        "id": "a",
        "text": "The cat barked.",
        "annotator": "y",
        "errors": [{"start": 8, "end": 14, "label": "verb.sound"}],
    },
    {
        "id": "b",
        "text": "All is well.",
        "annotator": "x",
        "language": "en",
        "system": "s1",
        "context": {"Source": "Alles gut."},
    },
    {
        "id": "c",
        "text": "一 二 三",
        "tokens": ["一", "二", "三"],
        "positions": "tokens",
        "annotator": "x",
        "errors": [{"start": 1, "end": 2}],
    },
]


def write(path: Path, lines: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    return path


def test_any_spans(tmp_path: Path) -> None:
    manifest = build(SpansFile(write(tmp_path / "mine.jsonl", LINES)), tmp_path / "out", Options(shares=(1, 0, 0)))
    rows = {row["id"]: row for row in Dataset(tmp_path / "out").rows("train")}
    assert rows["a"]["corrected"] == "The cat meowed."
    assert rows["a"]["readings"] == 2
    assert rows["a"]["errors"][0]["associated"] == [{"role": "associated", "start": 1, "end": 2, "text": "cat"}]
    assert rows["b"]["context"] == [{"title": "Source", "text": "Alles gut."}]
    assert rows["c"]["errors"][0]["text"] == "二"
    assert (manifest.name, manifest.read_twice) == ("mine", 1)
    assert check(tmp_path / "out") == []


def test_everything_wrong_with_a_file_is_said_at_once(tmp_path: Path) -> None:
    path = write(
        tmp_path / "bad.jsonl", [LINES[0] | {"colour": "red"}, LINES[2] | {"errors": [{"start": 3, "end": 99}]}]
    )
    path.write_text(path.read_text() + "not json\n")
    with pytest.raises(ProblemsFound) as caught:
        SpansFile(path)
    said = [str(problem) for problem in caught.value.problems]
    assert [one.partition("  ")[0] for one in said] == ["bad.jsonl:1", "bad.jsonl:2", "bad.jsonl:3"]
    assert "colour" in said[0]
    assert "3-99 marks no word" in said[1]


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ProblemsFound):
        SpansFile(tmp_path / "nothing.jsonl")
