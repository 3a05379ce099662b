"""Ratings of a campaign beside metrics' scores: what matches, what does not, and what is said about it."""

from __future__ import annotations

import pytest

from goldmark.errors import ProblemsFound
from goldmark.records.tidy.columns import Frame
from goldmark.records.tidy.kept import SeveralValues
from goldmark.results.inputs.files.human_scores import KeysDoNotMatch, NoCommonKey, NoRatings, with_human_scores


def ratings(**changed: object) -> Frame:
    """Two systems on three items, two labels each, of two questions."""
    return Frame.of(
        [
            {
                "unit": f"u{item}{system}",
                "item": f"i{item}",
                "system": system,
                "annotator": f"a{label}",
                "question": question,
                "test": "false",
                "excluded": "false",
                "value": item + label + (10 if question == "overall" else 0),
                **changed,
            }
            for question in ("fluent", "overall")
            for system in "AB"
            for item in range(3)
            for label in range(2)
        ],
        "ratings.csv",
    )


def scores(keys: str = "item,system", systems: str = "AB", items: int = 3) -> Frame:
    rows = [
        {"unit": f"u{item}{system}", "item": f"i{item}", "system": system, "bleu": item * 3 + len(system)}
        for system in systems
        for item in range(items)
    ]
    return Frame.of([{name: row[name] for name in (*keys.split(","), "bleu")} for row in rows], "scores.csv")


OVERALL = {"question": ("overall",)}


@pytest.mark.parametrize("keys", ["unit", "item,system", "unit,item,system"])
def test_the_human_score_is_the_mean_of_an_outputs_labels(keys: str) -> None:
    frame, notes = with_human_scores(scores(keys), ratings(), keep=OVERALL)
    # Labels of item i are i + 10 and i + 11.
    assert list(frame.cells["human"]) == ["10.5", "11.5", "12.5"] * 2
    # What the ratings know of an output and the metrics' table does not, comes along.
    assert list(frame.cells["item"]) == ["i0", "i1", "i2"] * 2
    assert list(frame.cells["system"]) == ["A"] * 3 + ["B"] * 3
    assert "matched: 6 of 6 judged outputs" in notes


def test_one_system_needs_no_name() -> None:
    some = ratings(system="A", unit="")
    frame, _ = with_human_scores(scores("item", "A"), some, keep=OVERALL)
    assert list(frame.cells["system"]) == ["A"] * 3
    with pytest.raises(NoCommonKey, match="ratings are of 2 systems"):
        with_human_scores(scores("item", "A"), ratings(), keep=OVERALL)


def test_scores_made_of_spans_will_do() -> None:
    """Any table with a score of each output, whoever counted: here errors per text."""
    errors = Frame.of([{"unit": f"u{item}A", "errors": item} for item in range(3)], "errors.csv")
    frame, _ = with_human_scores(scores("unit", "A"), errors, human="errors")
    assert list(frame.cells["human"]) == ["0.0", "1.0", "2.0"]


def test_what_finds_no_partner_is_told() -> None:
    _, notes = with_human_scores(scores(items=8, systems="A"), ratings(), keep=OVERALL)
    assert notes[1:] == (
        "matched: 3 of 6 judged outputs",
        "left out: 3 outputs judged in ratings.csv, not in scores.csv: 'i0' of 'B', 'i1' of 'B', 'i2' of 'B'",
        "left out: 5 outputs in scores.csv, judged by nobody: "
        "'i3' of 'A', 'i4' of 'A', 'i5' of 'A', 'i6' of 'A', 'i7' of 'A'",
    )


def test_keys_that_never_match_are_an_error() -> None:
    with pytest.raises(KeysDoNotMatch, match=r"none of the 6 judged outputs .* among the 3 .* 'i0' of 'C'"):
        with_human_scores(scores(systems="C"), ratings(), keep=OVERALL)
    with pytest.raises(NoCommonKey, match=r"scores.csv has name, bleu, ratings.csv has unit, item, system"):
        with_human_scores(Frame.of([{"name": "x", "bleu": 1}], "scores.csv"), ratings(), keep=OVERALL)


def test_an_output_that_comes_twice_is_an_error() -> None:
    twice = Frame.of([{"unit": "u0A", "bleu": 1}, {"unit": "u0A", "bleu": 2}], "scores.csv")
    with pytest.raises(ProblemsFound) as told:
        with_human_scores(twice, ratings(), keep=OVERALL)
    assert "'u0A' was there already" in str(told.value.problems[0])


def test_a_second_column_of_human_scores_is_an_error() -> None:
    with pytest.raises(ProblemsFound):
        with_human_scores(Frame.of([{"unit": "u0A", "bleu": 1, "human": 3}]), ratings(), keep=OVERALL)


def test_questions_are_not_mixed_and_test_questions_do_not_count() -> None:
    with pytest.raises(SeveralValues):
        with_human_scores(scores(), ratings())
    with pytest.raises(NoRatings, match="left out: 24 of 24 judgements, test questions"):
        with_human_scores(scores(), ratings(test="true"), keep=OVERALL)
