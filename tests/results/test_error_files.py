"""Errors per text from a list of errors: the same figures as from a campaign's spans."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import goldmark as gm
from goldmark.errors import ProblemsFound
from goldmark.records.tables import Cell, Table
from goldmark.records.tidy.columns import Frame, MissingColumn
from goldmark.results.inputs.files.error_files import ERROR_LIST
from goldmark.results.options import AnalysisOptions
from goldmark.results.published import catalogue
from goldmark.texts.readers.tidy import read_tidy

# ACCURACY table 10, human authors, 40 texts: means 0.25, 0.93, 0.28, 0.10, 0.03, 3.25, in all 4.83; as counts:
HUMAN = {"NAME": 10, "NUMBER": 37, "WORD": 11, "CONTEXT": 4, "OTHER": 1, "NOT_CHECKABLE": 130}


def made(*files: Frame, names: dict[str, str] | None = None) -> Table:
    (table,) = catalogue.run(ERROR_LIST, files, AnalysisOptions(resamples=200), names)
    return table


def by_label(table: Table, system: str) -> dict[Cell, dict[str, Cell]]:
    return {row["label"]: row for row in table.records() if row["system"] == system}


def test_table_10_of_the_accuracy_paper() -> None:
    rng = np.random.default_rng(1)
    errors = Frame.of(
        [
            {"text": f"t{rng.integers(40)}", "category": category}
            for category, count in HUMAN.items()
            for _ in range(count)
        ]
    )
    texts = Frame.of([{"text": f"t{number}", "system": "human"} for number in range(40)])
    rows = by_label(made(errors, texts), "human")
    published = {"NAME": 0.25, "NUMBER": 0.93, "WORD": 0.28, "CONTEXT": 0.10, "OTHER": 0.03, "NOT_CHECKABLE": 3.25}
    for category, mean in published.items():
        assert rows[category]["value"] == pytest.approx(mean, abs=0.0051)
    total = rows["total"]
    assert total["value"] == pytest.approx(4.83, abs=0.0051)
    assert total["low"] < total["value"] < total["high"]  # type: ignore[operator]
    # 63 real errors, 1.58 a text, without those that cannot be checked.
    assert total["value"] - rows["NOT_CHECKABLE"]["value"] == pytest.approx(1.58, abs=0.0051)  # type: ignore[operator]
    assert total["items"] == 40
    assert total["annotators"] is None


def test_the_gold_list_of_60_texts(shared_data: Path) -> None:
    gold = read_tidy(shared_data / "accuracy-shared-task" / "train" / "gsml.csv")
    frame = Frame(gold.source, {**gold.cells, "system": ["train"] * len(gold)}, gold.lines)
    total = by_label(made(frame, names={"text": "TEXT_ID", "category": "TYPE"}), "train")["total"]
    assert total["n"] == 60
    assert total["value"] == pytest.approx(1214 / 60)  # 1,214 mistakes, says the data's README


def test_a_text_without_errors_counts() -> None:
    frame = Frame.of(
        [
            {"text": "t1", "system": "A", "category": "NAME"},
            {"text": "t1", "system": "A", "category": "NAME"},
            {"text": "t2", "system": "A", "category": ""},
            {"text": "t3", "system": "B", "category": ""},
        ]
    )
    table = made(frame)
    assert by_label(table, "A")["total"]["value"] == 1.0
    assert by_label(table, "B")["total"]["value"] == 0.0
    assert by_label(table, "B")["total"]["reason"] == "one item alone says nothing of others"
    assert "errors: 2 errors in 3 texts; none in 2" in table.notes


def test_readers_of_one_text_are_averaged_and_introduced_errors_left_out() -> None:
    frame = Frame.of(
        [
            {"text": "t1", "system": "A", "category": "NAME", "annotator": "ann", "introduced": ""},
            {"text": "t1", "system": "A", "category": "WORD", "annotator": "ann", "introduced": "no"},
            {"text": "t1", "system": "A", "category": "", "annotator": "bo", "introduced": ""},
            {"text": "t2", "system": "A", "category": "NAME", "annotator": "ann", "introduced": "no"},
            {"text": "t2", "system": "A", "category": "WORD", "annotator": "ann", "introduced": "yes"},
        ]
    )
    table = made(frame)
    rows = by_label(table, "A")
    # Texts count alike: ((2 + 0) / 2 + 1) / 2 in all; of names ((1 + 0) / 2 + 1) / 2.
    assert rows["total"]["value"] == 1.0
    assert rows["NAME"]["value"] == 0.75
    assert "errors: 1 mark on introduced errors left out" in table.notes


def test_figures_are_those_of_a_table_of_spans() -> None:
    rng = np.random.default_rng(2)
    marks = [
        {"text": f"{system}{item}", "system": system, "item": f"i{item}", "category": category}
        for system in "AB"
        for item in range(12)
        for category in rng.choice(["NAME", "WORD"], size=rng.integers(4)).tolist() or [""]
    ]
    spans = [
        {"unit": one["text"], "system": one["system"], "item": one["item"], "label": one["category"], "annotator": ""}
        | {"start": 3 if one["category"] else None, "end": 4 if one["category"] else None, "question": "errors"}
        for one in marks
    ]
    direct = gm.results(spans=spans, table="errors", resamples=200)
    assert made(Frame.of(marks)).rows == direct.table.rows


def test_unknown_texts_and_two_authors_are_refused() -> None:
    errors = Frame("e.csv", {"text": ["t9"], "category": ["NAME"]}, [2])
    texts = Frame("t.csv", {"text": ["t1", "t1"], "system": ["A", "B"]}, [2, 3])
    with pytest.raises(ProblemsFound) as found:
        made(errors, texts)
    assert [problem.where for problem in found.value.problems] == ["t.csv:3", "e.csv:2"]
    with pytest.raises(MissingColumn, match="second file"):
        made(errors)
