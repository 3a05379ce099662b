from __future__ import annotations

import pytest

from goldmark.errors import ProblemsFound
from goldmark.records.tidy.columns import Column, Columns, Frame, JsonInCells, MissingColumn

RATINGS = Columns("text", "annotator", Column("score", "number", low=0, high=1))


def test_typed_columns_come_back() -> None:
    frame = Frame.of([{"text": "t1", "annotator": "a", "score": 0.5}, {"text": "t2", "annotator": "b", "score": 1}])
    checked = RATINGS.check(frame)
    assert checked.texts("text") == ["t1", "t2"]
    assert checked.filled("score") == [0.5, 1.0]


def test_a_missing_column_is_told_with_the_columns_of_the_file() -> None:
    frame = Frame("ratings.csv", {"text": ["a"], "worker": ["b"], "score": ["1"]})
    with pytest.raises(MissingColumn, match=r"needs 'annotator'; ratings.csv has text, worker, score$"):
        RATINGS.check(frame)
    with pytest.raises(MissingColumn, match="name yours with --annotator COLUMN"):
        RATINGS.check(frame, options=True)


def test_columns_may_have_other_names() -> None:
    frame = Frame("ratings.csv", {"text": ["a"], "worker": ["b"], "score": ["1"]})
    assert RATINGS.check(frame, {"annotator": "worker"}).texts("annotator") == ["b"]


def test_an_optional_column_that_was_named_must_exist() -> None:
    day = Columns("text", Column("day", optional=True))
    frame = Frame("ratings.csv", {"text": ["a"]})
    assert "day" not in day.check(frame)
    with pytest.raises(MissingColumn, match="needs 'date'"):
        day.check(frame, {"day": "date"})


def test_every_bad_cell_is_named_in_the_order_of_the_file() -> None:
    frame = Frame("r.csv", {"text": ["", "t", "t"], "annotator": ["a", "a", "a"], "score": ["0", "x", "7"]}, [2, 3, 10])
    with pytest.raises(ProblemsFound) as found:
        RATINGS.check(frame)
    assert [problem.where for problem in found.value.problems] == ["r.csv:2", "r.csv:3", "r.csv:10"]
    assert "a number is needed" in str(found.value.problems[1])
    assert "at most 1 is needed" in str(found.value.problems[2])


@pytest.mark.parametrize("cell", ["nan", "inf", "-inf", "1e999"])
def test_a_number_is_finite(cell: str) -> None:
    frame = Frame("r.csv", {"text": ["t"], "annotator": ["a"], "score": [cell]})
    with pytest.raises(ProblemsFound):
        RATINGS.check(frame)


def test_empty_cells_are_none_where_they_are_allowed() -> None:
    columns = Columns(Column("n", "whole", empty=True), Column("valid", "yes", empty=True))
    checked = columns.check(Frame("f", {"n": ["", "NA", "3"], "valid": ["Y", "", "no"]}))
    assert checked.numbers("n") == [None, None, 3.0]
    assert checked.yes("valid") == [True, None, False]


def test_only_named_values_are_allowed() -> None:
    columns = Columns(Column("truth", among=("human", "machine")))
    with pytest.raises(ProblemsFound) as found:
        columns.check(Frame("f", {"truth": ["robot"]}))
    assert "one of human, machine is needed" in str(found.value.problems[0])


def test_columns_of_an_exported_table_are_found_by_its_own_names() -> None:
    columns = Columns("text", "category", Column("score", "number", optional=True))
    cells = {"unit": ["u"], "annotator": ["a"], "question": ["q"], "label": ["X"], "text": ["some words"]}
    exported = Frame("spans.csv", cells)
    assert columns.check(exported, exported=True).texts("text") == ["u"]
    assert columns.check(exported, exported=True).texts("category") == ["X"]
    assert columns.check(exported, {"text": "annotator"}, exported=True).texts("text") == ["a"]
    with pytest.raises(MissingColumn, match="needs 'category'"):
        columns.check(exported)  # a statistic that has not said that it reads such tables
    foreign = Frame("x.csv", {"unit": ["u"], "text": ["t"], "label": ["X"], "category": ["Y"]})
    assert columns.check(foreign, exported=True).texts("text") == ["t"]
    assert columns.check(foreign, exported=True).texts("category") == ["Y"]


@pytest.mark.parametrize("cell", ["[]", ' [{"start": 0}] ', "{}", '{"a": 1}'])
def test_json_is_not_a_value(cell: str) -> None:
    frame = Frame("answers.csv", {"answer": ["fine", cell]}, [2, 3])
    with pytest.raises(JsonInCells, match=r"answers\.csv:3  column 'answer' holds JSON .* --format tidy"):
        Columns("answer").check(frame)
    assert Columns(Column("answer", free=True)).check(frame).texts("answer") == ["fine", cell.strip()]


@pytest.mark.parametrize("cell", ["[sic] words", "{oops", '"quoted"', "[1] and [2]"])
def test_words_in_brackets_are_words(cell: str) -> None:
    assert Columns("answer").check(Frame("f", {"answer": [cell]})).texts("answer") == [cell]
