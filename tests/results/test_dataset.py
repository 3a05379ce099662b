from __future__ import annotations

import pytest

from goldmark.errors import ProblemsFound
from goldmark.records.tidy.columns import Frame
from goldmark.results.published import catalogue
from goldmark.results.published.tgea.dataset import distance

TEXTS = Frame.of(
    [
        {"text": "a", "split": "train", "tokens": "one two three four"},
        {"text": "b", "split": "train", "tokens": "one two"},
        {"text": "c", "split": "dev", "tokens": "five six seven"},
    ]
)
ERRORS = Frame.of(
    [
        {
            "text": "a",
            "start": 0,
            "end": 1,
            "associated_start": 2,
            "associated_end": 4,
            "rationale": "x y",
            "type": "W",
        },
        {"text": "a", "start": 1, "end": 4, "associated_start": "", "associated_end": "", "rationale": "", "type": "W"},
        {"text": "c", "start": 1, "end": 2, "associated_start": 0, "associated_end": 1, "rationale": "z", "type": "N"},
    ]
)


def test_statistics_by_hand() -> None:
    table = catalogue.run("dataset", [TEXTS, ERRORS])[0]
    train, dev, everything = table.records()
    assert (train["split"], dev["split"], everything["split"]) == ("train", "dev", "all")
    assert (train["texts"], train["errors_0"], train["errors_1"], train["errors_2"]) == (2, 1, 0, 1)
    assert (everything["tokens"], everything["vocabulary"]) == (9, 7)
    assert everything["tokens_per_text"] == pytest.approx(3)
    assert everything["tokens_per_error"] == pytest.approx(5 / 3)  # 1, 3, 1
    assert everything["tokens_per_associated"] == pytest.approx(1.5)  # 2, 1
    assert everything["distance"] == pytest.approx(1.5)  # from token 0 to token 2; neighbours 0 and 1
    assert everything["tokens_per_rationale"] == pytest.approx(1.5)
    assert dev["erroneous_percent"] == 100


def test_shares_of_table_4_of_the_tgea_paper() -> None:
    # 34,882 of 47,058 texts have no error; at a hundredth: 349 of 471. 25.9 % are erroneous.
    texts = Frame.of([{"text": i, "tokens": "x"} for i in range(471)])
    errors = Frame.of([{"text": i, "start": 0, "end": 1} for i in range(471 - 349)])
    (row,) = catalogue.run("dataset", [texts, errors])[0].records()
    assert row["erroneous_percent"] == pytest.approx(100 * (47_058 - 34_882) / 47_058, abs=0.1)


def test_types() -> None:
    words, names = catalogue.run("dataset", [TEXTS, ERRORS])[1].records()
    assert (words["type"], words["errors"]) == ("W", 2)
    assert words["percent"] == pytest.approx(200 / 3)
    assert (names["type"], names["errors"]) == ("N", 1)


@pytest.mark.parametrize(
    ("first", "second", "steps"), [((0, 1), (1, 2), 1), ((3, 5), (0, 1), 3), ((0, 4), (1, 2), 0), ((0, 2), (0, 2), 0)]
)
def test_distance(first: tuple[int, int], second: tuple[int, int], steps: int) -> None:
    assert distance(first, second) == distance(second, first) == steps


def test_spans_must_fit_their_texts() -> None:
    errors = Frame("e.csv", {"text": ["a", "z", "b"], "start": ["0", "0", "1"], "end": ["9", "1", "1"]}, [2, 3, 4])
    with pytest.raises(ProblemsFound) as found:
        catalogue.run("dataset", [TEXTS, errors])
    assert [problem.where for problem in found.value.problems] == ["e.csv:2", "e.csv:3", "e.csv:4"]


def test_a_row_without_a_span_is_no_error() -> None:
    silent = {"text": "b", "start": "", "end": "", "type": ""}
    rows = [{name: column[row] for name, column in ERRORS.cells.items()} for row in range(len(ERRORS))]
    plain, quiet = (catalogue.run("dataset", [TEXTS, Frame.of(some)]) for some in (rows, [*rows, silent]))
    assert [table.rows for table in plain] == [table.rows for table in quiet]
    assert plain[1].notes == quiet[1].notes
    with pytest.raises(ProblemsFound):
        catalogue.run("dataset", [TEXTS, Frame.of([*rows, {**silent, "start": 0}])])
