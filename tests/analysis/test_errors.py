from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from goldmark.analysis import catalogue
from goldmark.analysis.settings import Settings
from goldmark.errors import ProblemsFound
from goldmark.records.columns import Frame, MissingColumn
from goldmark.records.kept import NoSuchColumn, SeveralValues
from goldmark.texts.tidy import read_tidy

# ACCURACY table 10, human authors, 40 texts: means 0.25, 0.93, 0.28, 0.10, 0.03, 3.25, in all 4.83; as counts:
HUMAN = {"NAME": 10, "NUMBER": 37, "WORD": 11, "CONTEXT": 4, "OTHER": 1, "NOT_CHECKABLE": 130}


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
    table = catalogue.run("errors-per-text", [errors, texts])[0]
    (row,) = table.records()
    published = {"NAME": 0.25, "NUMBER": 0.93, "WORD": 0.28, "CONTEXT": 0.10, "OTHER": 0.03, "NOT_CHECKABLE": 3.25}
    for category, mean in published.items():
        assert row[f"errors {category}"] == pytest.approx(mean, abs=0.0051)
    assert row["total"] == pytest.approx(4.83, abs=0.0051)
    assert row["total_low"] < row["total"] < row["total_high"]  # type: ignore[operator]
    # 63 real errors, 1.58 a text, without those that cannot be checked.
    assert row["total"] - row["errors NOT_CHECKABLE"] == pytest.approx(1.58, abs=0.0051)  # type: ignore[operator]


def test_the_gold_list_of_60_texts(shared_data: Path) -> None:
    gold = read_tidy(shared_data / "accuracy-shared-task" / "train" / "gsml.csv")
    frame = Frame(gold.source, {**gold.cells, "system": ["train"] * len(gold)}, gold.lines)
    names = {"text": "TEXT_ID", "category": "TYPE"}
    (row,) = catalogue.run("errors-per-text", [frame], Settings(resamples=200), names)[0].records()
    assert row["texts"] == 60
    assert row["total"] == pytest.approx(1214 / 60)  # 1,214 mistakes, says the data's README


def test_a_text_without_errors_counts() -> None:
    frame = Frame.of(
        [
            {"text": "t1", "system": "A", "category": "NAME"},
            {"text": "t1", "system": "A", "category": "NAME"},
            {"text": "t2", "system": "A", "category": ""},
            {"text": "t3", "system": "B", "category": ""},
        ]
    )
    table = catalogue.run("errors-per-text", [frame])[0]
    rows = {row["system"]: row for row in table.records()}
    assert rows["A"]["total"] == 1.0
    assert rows["B"]["total"] == 0.0
    assert "B has no intervals: one text alone cannot be resampled" in table.notes
    assert "2 errors in 3 texts; without any: 2" in table.notes


def test_unknown_texts_and_two_authors_are_refused() -> None:
    errors = Frame("e.csv", {"text": ["t9"], "category": ["NAME"]}, [2])
    texts = Frame("t.csv", {"text": ["t1", "t1"], "system": ["A", "B"]}, [2, 3])
    with pytest.raises(ProblemsFound) as found:
        catalogue.run("errors-per-text", [errors, texts])
    assert [problem.where for problem in found.value.problems] == ["t.csv:3", "e.csv:2"]
    with pytest.raises(MissingColumn, match="second file"):
        catalogue.run("errors-per-text", [errors])


def spans(*rows: tuple[str, ...]) -> Frame:
    names = ("unit", "system", "annotator", "question", "test", "excluded", "role", "start", "end", "label", "text")
    return Frame.of([dict(zip(names, row, strict=True)) for row in rows], source="spans.csv")


def span(
    unit: str, annotator: str, label: str, start: str = "0", question: str = "m", test: str = "no"
) -> tuple[str, ...]:
    return (unit, "A", annotator, question, test, "no", "", start, start and "1", label, "words")


def test_spans_of_an_exported_campaign_are_averaged_over_their_annotators() -> None:
    rows = [span("u", "x", "NAME"), span("u", "x", "NAME", "3"), span("u", "y", ""), span("u", "z", "", "")]
    rows += [span("v", "x", "", ""), span("w", "x", "NAME", test="yes")]
    (table,) = catalogue.run("errors-per-text", [spans(*rows)])
    (row,) = table.records()
    # Three people read u: x found two names, y marked something without a category, z nothing. v has no error.
    assert (row["texts"], row["errors NAME"], row["errors no category"]) == (2, 2 / 3 / 2, 1 / 3 / 2)
    assert row["total"] == pytest.approx(0.5)
    assert any("3 errors in 2 texts; without any: 1" in note for note in table.notes)
    assert any("mean over its annotators" in note for note in table.notes)
    assert any(note.startswith("spans.csv: left out: 1 row, answers to test questions") for note in table.notes)


def test_several_questions_are_refused_or_one_is_kept() -> None:
    frame = spans(span("u", "x", "NAME"), span("u", "x", "WORD", question="n"))
    with pytest.raises(SeveralValues, match="--keep question=m"):
        catalogue.run("errors-per-text", [frame])
    (table,) = catalogue.run("errors-per-text", [frame], keep={"question": ["n"]})
    assert table.records()[0]["errors WORD"] == 1


def test_what_is_kept_counts_in_the_file_that_has_the_column() -> None:
    texts = Frame.of([{"text": "u", "system": "A"}, {"text": "v", "system": "A"}], source="texts.csv")
    frame = spans(span("u", "x", "NAME"), span("u", "x", "WORD", question="n"))
    (table,) = catalogue.run("errors-per-text", [frame, texts], keep={"question": ["m"]})
    assert table.records()[0]["total"] == 0.5
    with pytest.raises(NoSuchColumn, match=r"spans\.csv has no column 'axis'"):
        catalogue.run("errors-per-text", [frame, texts], keep={"axis": ["m"]})
