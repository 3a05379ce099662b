from __future__ import annotations

import pytest

from goldmark.records.tidy.columns import Frame
from goldmark.results.published import catalogue

# ACCURACY table 4: errors by how many of four verifiers called them errors; 1,040 were assumed valid.
VERIFIED = {4: 702, 3: 57, 2: 13, 1: 11, 0: 13}
ASSUMED = 1040
# Table 7: errors by how many of four verifiers called them subjective.
SUBJECTIVE = {4: 0, 3: 7, 2: 19, 1: 73, 0: 697}


def votes(distribution: dict[int, int]) -> list[int]:
    return [yes for yes, count in distribution.items() for _ in range(count)]


@pytest.fixture(scope="module")
def verdicts() -> Frame:
    rows: list[dict[str, object]] = [
        {"error": f"e{number}", "verifier": f"v{verifier}", "is_error": verifier < yes, "subjective": verifier < doubt}
        for number, (yes, doubt) in enumerate(zip(votes(VERIFIED), votes(SUBJECTIVE), strict=True))
        for verifier in range(4)
    ]
    rows += [{"error": f"a{number}", "verifier": "", "is_error": ""} for number in range(ASSUMED)]
    return Frame.of(rows)


def test_table_4_of_the_accuracy_paper(verdicts: Frame) -> None:
    table = catalogue.run("verification", [verdicts])[0]
    rows = {row["agreement"]: row for row in table.records()}
    published = [
        ("assumed valid", 1040, 56.64, None),
        ("4/4 error", 702, 38.24, 88.19),
        ("3/4 error", 57, 3.10, 7.16),
        ("2-2 split", 13, 0.71, 1.63),
        ("3/4 not error", 11, 0.60, 1.38),
        ("4/4 not error", 13, 0.71, 1.63),
    ]
    assert list(rows) == [name for name, *_ in published]
    for name, errors, of_all, of_checked in published:
        assert rows[name]["errors"] == errors
        assert rows[name]["percent"] == pytest.approx(of_all, abs=0.005)
        checked = rows[name]["percent_of_checked"]
        assert checked == (None if of_checked is None else pytest.approx(of_checked, abs=0.006))
    # "Valid errors rise to 98 %"; 796 were checked.
    assert "796 of 1,836 errors were checked; 1,799 are valid (98.0 %" in table.notes[0]


def test_table_7_of_the_accuracy_paper(verdicts: Frame) -> None:
    table = catalogue.run("verification", [verdicts])[1]
    assert [(row["subjective"], row["errors"]) for row in table.records()] == [
        ("yes (3-1)", 7),
        ("2-2 split", 19),
        ("no (3-1)", 73),
        ("no (4-0)", 697),
    ]
    assert table.records()[-1]["percent"] == pytest.approx(88, abs=0.5)  # "in 88 % of cases"


def test_37_errors_are_left_out_of_the_verified_list(verdicts: Frame) -> None:
    removed = catalogue.run("verification", [verdicts])[-1]
    assert len(removed.rows) == 37  # ACCURACY 7.1


def test_confused_categories_are_counted_once_per_error() -> None:
    said = [
        ("e1", "NAME", "NAME NAME NAME NAME"),
        ("e2", "NAME", "NAME CONTEXT CONTEXT NAME"),
        ("e3", "WORD", "NUMBER NUMBER NUMBER NUMBER"),
    ]
    frame = Frame.of(
        [
            {"error": error, "verifier": i, "is_error": "y", "category": category, "gold_category": gold}
            for error, gold, categories in said
            for i, category in enumerate(categories.split())
        ]
    )
    table = catalogue.run("verification", [frame])[1]
    rows = {str(row["named"]): row for row in table.records()}
    assert rows["NAME"]["with CONTEXT"] == rows["CONTEXT"]["with NAME"] == 1
    assert rows["NUMBER"]["with WORD"] == 1  # all four verifiers against the gold list
    assert rows["NAME"]["with NAME"] == 0
    assert "category of 1 of 3 errors (33 %)" in table.notes[0]


def test_unanswered_errors_are_told() -> None:
    frame = Frame.of([{"error": 1, "verifier": "v", "is_error": ""}, {"error": 2, "verifier": "v", "is_error": "y"}])
    table = catalogue.run("verification", [frame])[0]
    assert "left out: 1 error shown but not answered" in table.notes
