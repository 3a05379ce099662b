"""The scorers of the five tasks by hand, people's performance, and files of predictions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from goldmark.datasets.benchmark.human import people
from goldmark.datasets.benchmark.predictions import read_predictions, write_predictions
from goldmark.datasets.benchmark.scores import Scores, score
from goldmark.datasets.benchmark.tasks import TASKS, TaskItem, TaskSpans, items_of, runs
from goldmark.datasets.release.rows import reading_row, row_of
from goldmark.datasets.release.selection import SelectedReading
from goldmark.datasets.sources.readings import MarkedError, Reading, ReadText
from goldmark.errors import ProblemsFound
from tests.datasets.house import mark, text


def row(name: str, characters: str, *errors: MarkedError) -> dict[str, Any]:
    read = text(name, characters, Reading("A", errors))
    return row_of(read, SelectedReading(read.readings[0], "only", ("A",)), name)


ROWS = [
    row("T1", "a b c d e"),
    row("T2", "a b c d e", mark(1, 3, "x.y", correction="q", rationale="it is so", associated=((4, 5),))),
    row("T3", "a b c d e", mark(0, 1, "z", correction="", rationale="no"), mark(2, 4, "x", id="e2", correction="c w")),
]


def scored(name: str, answers: list[Any]) -> Scores:
    task = TASKS[name]
    return score(task, items_of(task, ROWS), answers, seed=1)


def values(name: str, answers: list[Any]) -> dict[str, float | None]:
    return {figure: found.value for figure, found in scored(name, answers).figures.items()}


def test_detection_by_hand() -> None:
    # Gold: fine, erroneous, erroneous. Said: erroneous, erroneous, fine. One of three right; recall of erroneous 1/2,
    # of fine 0/1, so balanced 1/4; F1 = 2*1 / (2*1 + 1 + 1) = 1/2.
    assert values("detect", [True, True, False]) == pytest.approx(
        {"accuracy": 1 / 3, "balanced_accuracy": 1 / 4, "f1": 1 / 2}
    )


def test_spans_by_hand() -> None:
    # T2: erroneous {1,2}, associated {4}; T3: erroneous {0,2,3}. Fine texts are not asked.
    said = [TaskSpans(frozenset({2, 3}), frozenset({4, 0})), TaskSpans(frozenset({0}), frozenset({1}))]
    # erroneous: found {2},{0} = 2, extra {3} = 1, missed {1},{2,3} = 3: F1 = 4/(4+1+3); associated: 1, 2, 0: 2/4
    assert values("spans", said) == pytest.approx({"erroneous_f1": 4 / 8, "associated_f1": 2 / 4})


def test_types_by_hand() -> None:
    # Gold x, z, x; said x, x, w (which does not occur). x: found 1, extra 1, missed 1: F1 1/2; z: 0. Macro 1/4.
    assert values("type", ["x", "x", "w"]) == pytest.approx({"accuracy": 1 / 3, "macro_f1": 1 / 4})


def test_types_as_scikit_learn_has_them() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(5)
    gold, said = rng.choice(["a", "b", "c"], size=60), rng.choice(["a", "b", "c"], size=60)
    items = [TaskItem(f"T{n}", "e1", "", (), "rules", "", str(one)) for n, one in enumerate(gold)]
    found = score(TASKS["type"], items, [str(one) for one in said]).figures
    assert found["macro_f1"].value == pytest.approx(metrics.f1_score(gold, said, average="macro"))
    assert found["accuracy"].value == pytest.approx(metrics.accuracy_score(gold, said))


def test_corrections_by_hand() -> None:
    # T2: gold b c -> q; made. T3: gold delete a, and d -> w ("c w" keeps c); the first is made, and e -> f besides.
    found = values("correct", [("a", "q", "d", "e"), ("b", "c", "d", "f")])
    # correct 2, proposed 3, gold 3
    assert found == pytest.approx({"precision": 2 / 3, "recall": 2 / 3, "f0.5": 2 / 3})


def test_gold_answers_are_perfect() -> None:
    for name in ("detect", "spans", "type", "correct", "rationale"):
        items = items_of(TASKS[name], ROWS)
        for figure, value in values(name, [item.gold for item in items]).items():
            if figure not in ("bertscore", "bleu"):
                assert value == pytest.approx(1.0), (name, figure)


def test_rationales_are_cut_as_the_dataset_is() -> None:
    read = text("T1", "他喝了桌子。", Reading("A", (mark(1, 3, rationale="桌子不能喝。"),)))
    items = items_of(TASKS["rationale"], [row_of(read, SelectedReading(read.readings[0], "only", ("A",)), "T1")])
    found = score(TASKS["rationale"], items, ["桌子能喝。"]).figures
    # Characters without marks: 桌子不能喝 and 桌子能喝; the longest common sequence is 4 of 5 and of 4: F1 = 8/9.
    assert found["rouge_l"].value == pytest.approx(8 / 9)
    assert found["bertscore"].value is None
    assert "checkpoint" in found["bertscore"].reason


def test_every_figure_has_an_interval_around_it_or_a_reason() -> None:
    for name in ("detect", "spans", "type", "correct", "rationale"):
        items = items_of(TASKS[name], ROWS)
        for figure in scored(name, [item.gold for item in items]).figures.values():
            assert figure.interval is not None or figure.reason
            if figure.interval and figure.value is not None:
                assert figure.interval.low <= figure.value <= figure.interval.high


def test_people_are_scored_against_each_other() -> None:
    first = Reading("A", (mark(1, 3, "x", correction="q", rationale="so"),))
    second = Reading("B", (mark(1, 2, "y", correction="q c", rationale="so it is"),))
    read: ReadText = text("T2", "a b c d e", first, second)
    readings = {"T2": [reading_row(read, one) for one in (first, second)]}
    rows = [row_of(read, SelectedReading(first, "first", ("A",)), "T2")]
    found = {}
    for name, task in TASKS.items():
        items, answers = people(task, rows, readings)
        assert len(items) == 2  # each against the other
        found[name] = score(task, items, answers).figures
    assert found["detect"]["accuracy"].value == 1.0
    # {1,2} against {1}: F1 = 2*1/(2+1), both ways
    assert found["spans"]["erroneous_f1"].value == pytest.approx(2 / 3)
    assert found["type"]["accuracy"].value == 0.0
    assert items_of(TASKS["correct"], rows)[0].gold == ("a", "q", "d", "e")


def test_a_reader_who_set_the_text_aside_is_nobodys_measure() -> None:
    read = text("T1", "a b", Reading("A"), Reading("B", discarded="ambiguous"))
    rows = [row_of(read, SelectedReading(read.readings[0], "first", ("A",)), "T1")]
    assert people(TASKS["detect"], rows, {"T1": [reading_row(read, one) for one in read.readings]}) == ([], [])


@pytest.mark.parametrize("name", list(TASKS))
def test_predictions_come_back_as_they_were(name: str, tmp_path: Path) -> None:
    task = TASKS[name]
    items = items_of(task, ROWS)
    answers = [item.gold for item in items]
    path = tmp_path / "answers.jsonl"
    path.write_bytes(b"".join(write_predictions(task, items, answers)))
    assert read_predictions(task, items, path) == answers


@pytest.mark.parametrize(
    ("name", "lines", "said"),
    [
        ("detect", [{"id": "T1", "erroneous": "yes"}], '"erroneous" must be true or false'),
        ("detect", [{"id": "T1", "erroneous": True}], "2 of 3 answers are missing"),
        ("detect", [{"id": "T9", "erroneous": True}], "text 'T9' is not asked"),
        ("detect", [{"id": "T1", "erroneous": True}] * 2, "was already answered at answers.jsonl:1"),
        ("spans", [{"id": "T2", "erroneous": [[3, 9]]}], "within the 5 tokens"),
        ("type", [{"id": "T2", "error": "e1", "type": ""}], "the name of a type"),
        ("correct", [{"id": "T2"}], 'as "tokens" or as "text"'),
        ("rationale", [{"id": "T2", "error": "e1", "rationale": 3}], "must be text"),
        ("detect", ["nothing"], "not an object"),
    ],
)
def test_wrong_predictions_are_named_with_their_line(name: str, lines: list[Any], said: str, tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with pytest.raises(ProblemsFound) as caught:
        read_predictions(TASKS[name], items_of(TASKS[name], ROWS), path)
    assert any(said in str(problem) for problem in caught.value.problems)


def test_a_corrected_text_may_be_given_as_text(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text('{"id": "T2", "text": "a q d e"}\n{"id": "T3", "tokens": ["b"]}\n')
    assert read_predictions(TASKS["correct"], items_of(TASKS["correct"], ROWS), path) == [("a", "q", "d", "e"), ("b",)]


def test_passages_of_tokens() -> None:
    assert runs({4, 0, 1, 5, 9}) == [[0, 2], [4, 6], [9, 10]]


def test_a_correction_that_nobody_could_compare_is_refused() -> None:
    """Who answers an open board with pages for every sentence would keep a worker for days."""
    task = TASKS["correct"]
    (item,) = items_of(task, [row("T2", "a b c d e", mark(1, 3, "x.y", correction="q"))])
    assert len(task.read({"text": "w " * 510}, item)) == 510
    with pytest.raises(ValueError, match="a text of 5 tokens may have 510; this one has 511"):
        task.read({"tokens": ["w"] * 511}, item)
