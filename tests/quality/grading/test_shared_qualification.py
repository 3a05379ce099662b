"""The accuracy study's real qualification: a text with 20 mistakes, pass mark 70 %, seven people's answers.

Source: nlgcat/evaluating_accuracy. The file of participants says who passed and with which share of the 20.
"""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from goldmark.protocols import load
from goldmark.quality.grading import Grade, grade
from goldmark.records.spans import Span
from goldmark.records.texts import Text
from goldmark.records.units import ShownText, ShownUnit

PASS_MARK = 0.7


@pytest.fixture(scope="module")
def folder(shared_data: Path) -> Path:
    return shared_data / "annotators"


@pytest.fixture(scope="module")
def answers(folder: Path) -> dict[str, dict[str, Any]]:
    rows = [json.loads(line) for line in (folder / "individual_annotations.jsonl").read_text("utf-8").splitlines()]
    return {row["annotator"]: row for row in rows if row["stage"] == "qualifying"}


@pytest.fixture(scope="module")
def people(folder: Path, answers: dict[str, Any]) -> dict[str, dict[str, str]]:
    """The participants whose answers are there; of F1 there is only the result."""
    with (folder / "qualification_participants.csv").open(encoding="utf-8-sig") as file:
        return {row["WorkerId"]: row for row in csv.DictReader(file) if row["WorkerId"] in answers}


def words_of(text: str) -> list[Span]:
    """Runs of letters and digits; what the key calls "1" must not be found inside "19"."""
    tokens, at = [], 0
    while at < len(text):
        end = at + 1
        if text[at].isalnum():
            while end < len(text) and text[end].isalnum():
                end += 1
        if not text[at].isspace():
            tokens.append(Span(at, end))
        at = end
    return tokens


def the_key(folder: Path, text: str, tokens: list[Span]) -> list[dict[str, Any]]:
    """The researchers' 20 mistakes, each looked for after the one before it."""
    words = [text[token.start : token.end] for token in tokens]
    key, at = [], 0
    for mistake in json.loads((folder / "qualifying_target.json").read_text("utf-8"))["mistakes"]:
        wanted = [mistake["tokens"][token.start : token.end] for token in words_of(mistake["tokens"])]
        while words[at : at + len(wanted)] != wanted:
            at += 1
        key.append({"start": at, "end": at + len(wanted)})
        at += len(wanted)
    assert len(key) == 20
    return key


@pytest.fixture(scope="module")
def graded(folder: Path, answers: dict[str, Any]) -> dict[str, Grade]:
    protocol = load("accuracy/1")
    results = {}
    for name, row in answers.items():
        tokens = words_of(row["text"])
        shown = ShownUnit({"text": ShownText(Text("Q", row["text"], tuple(tokens), (Span(0, len(tokens)),)))})
        marks = []
        for number, span in enumerate(row["marked_spans"]):
            inside = [at for at, one in enumerate(tokens) if one.start < span["end"] and span["start"] < one.end]
            marks.append({"id": f"e{number}", "start": inside[0], "end": inside[-1] + 1, "label": "WORD"})
        key = {"is": the_key(folder, row["text"], tokens), "recall": PASS_MARK, "precision": 0}
        results[name] = grade(protocol, {"mistakes": marks}, {"mistakes": key}, shown)
    return results


def test_the_same_people_pass_and_fail(graded: dict[str, Grade], people: dict[str, dict[str, str]]) -> None:
    assert len(people) == 7
    passed = {name for name, row in people.items() if row["Passed"] == "Y"}
    assert {name for name, one in graded.items() if one.right} == passed == {"T1", "T2", "T3", "T4"}


def test_shares_are_those_of_the_researchers_or_one_mistake_off(
    graded: dict[str, Grade], people: dict[str, dict[str, str]]
) -> None:
    """They graded by hand and also took "game-high" for "led", or counted one thing once; we count shared words."""
    for name, row in people.items():
        ours = 5 * graded[name].parts[0].counts["found"]  # per cent of 20
        assert abs(ours - int(row["Bonus Score (% vs ours)"])) <= 5, name
