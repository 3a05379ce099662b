"""Which rows count: one question's, without test questions and exclusions, unless somebody keeps them."""

from __future__ import annotations

import pytest

from goldmark.records.tidy.columns import Columns, Frame
from goldmark.records.tidy.kept import NoSuchColumn, NothingKept, SeveralValues, check_kept, kept_rows, require_one

ROWS = Frame(
    "choices.csv",
    {
        "unit": ["a", "b", "c", "d", "e"],
        "annotator": ["x", "x", "x", "y", "y"],
        "question": ["q", "q", "q", "q", "r"],
        "label": ["1", "2", "3", "4", "5"],
        "test": ["false", "True", "", "false", "no"],
        "excluded": ["false", "true", "false", "true", "false"],
        "chosen": ["true", "true", "false", "true", "true"],
    },
    [2, 3, 4, 5, 6],
)


def test_test_questions_and_what_is_excluded_are_left_out_and_counted() -> None:
    frame, left_out = kept_rows(ROWS, {})
    assert frame.cells["unit"] == ["a", "c", "e"]
    assert frame.where(1) == "choices.csv:4"  # rows keep their lines
    assert [one.note() for one in left_out] == [
        "left out: 1 row, answers to test questions; --keep test=true,false counts them too",
        "left out: 1 row, work that is excluded; --keep excluded=true,false counts them too",
    ]


def test_what_is_kept_explicitly_counts() -> None:
    assert kept_rows(ROWS, {"test": ["yes"]}).frame.cells["unit"] == []  # b is excluded, too
    assert kept_rows(ROWS, {"test": ["true"], "excluded": ["true"]}).frame.cells["unit"] == ["b"]
    everything = kept_rows(ROWS, {"test": ["true", "false", ""], "excluded": ["true", "false"]})
    assert (everything.frame, everything.left_out) == (ROWS, ())
    frame, left_out = kept_rows(ROWS, {"question": ["r"]})
    assert frame.cells["unit"] == ["e"]
    assert left_out[0].note() == "left out: 4 rows, question is not r"


def test_a_column_or_value_that_is_not_there_is_named() -> None:
    with pytest.raises(NoSuchColumn, match="has no column 'axis'; it has unit, annotator"):
        kept_rows(ROWS, {"axis": ["q"]})
    with pytest.raises(NothingKept, match=r"no row of choices\.csv has that; question is q, r$"):
        kept_rows(ROWS, {"question": ["Q"]})


def test_a_column_of_that_name_with_other_content_is_somebody_elses() -> None:
    frame = Frame("x.csv", {"test": ["t", "F-test"], "chosen": ["0", "1"]})
    assert kept_rows(frame, {}, aside=("test", "chosen")).frame == frame


def test_several_questions_are_refused_with_their_names() -> None:
    with pytest.raises(SeveralValues, match=r"several values of 'question': q, r; choose one with --keep question=q$"):
        require_one(ROWS, "question")
    require_one(ROWS, "role")  # there is no such column


def test_a_statistic_gets_its_columns_of_the_rows_that_count() -> None:
    checked, left_out = check_kept(Columns("unit", "value"), ROWS, {"question": ["q"]})
    assert (checked.texts("unit"), checked.texts("value")) == (["a"], ["1"])  # c was not chosen
    assert sum(one.count for one in left_out) == 4
    by_question, _ = check_kept(Columns("unit", "task"), ROWS, {})
    assert by_question.texts("task") == ["q", "r"]  # a statistic by question takes several
    chosen, _ = check_kept(Columns("unit", "chosen"), ROWS, {"question": ["q"]})
    assert chosen.texts("unit") == ["a", "c"]  # one that asks what was chosen sees what was not
