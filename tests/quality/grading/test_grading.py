"""Being right means one thing: each kind of question graded by hand-computed cases, and properties that must hold."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldmark.protocols import Protocol, load, parse
from goldmark.protocols.expected import ExpectedNotReadable
from goldmark.quality.grading import Grade, grade
from goldmark.quality.grading.choices import NoNumbers
from goldmark.quality.grading.entry import NothingToGrade, QuestionNotAsked
from tests.protocols.conftest import shown_unit

QUESTIONS = """protocol: test/1
title: Test
texts: [a, b]
grading: {near: {within: 0.25}, some: {share: 0.5}, size: {within: 2}}
steps:
  - questions:
      - {id: exact, kind: choice, options: {bad: 0, poor: 0.25, fair: 0.5, good: 0.75, best: 1}}
      - {id: near, kind: choice, options: {bad: 0, poor: 0.25, fair: 0.5, good: 0.75, best: 1}}
      - {id: names, kind: choice, options: [yes, no]}
      - {id: some, kind: choices, options: [u, v, w, x]}
      - {id: size, kind: number, at_least: 0, at_most: 20}
      - {id: free, kind: number}
      - {id: day, kind: text}
      - {id: better, kind: compare, tie: true}
"""


@pytest.fixture(scope="module")
def mixed() -> Protocol:
    return parse(QUESTIONS)


@pytest.fixture(scope="module")
def accuracy() -> Protocol:
    return load("accuracy/1")


def mark(start: int, end: int, label: str = "NUMBER", **more: str) -> dict[str, Any]:
    return {"id": f"e{start}", "start": start, "end": end, "label": label, **more}


@pytest.mark.parametrize(
    ("question", "answer", "expected", "score", "right"),
    [
        ("exact", "good", "good", 1, True),
        ("exact", "good", "best", 0, False),  # by value: no credit for being near
        ("near", "good", "best", 1, True),  # 0.25 off, which is within
        ("near", "fair", "best", 0.5, False),  # 1 - 0.5 / (1 - 0)
        ("near", "bad", "best", 0, False),
        ("exact", "good", {"at_least": 0.5}, 1, True),
        ("exact", "fair", {"at_least": 0.5}, 1, True),
        ("exact", "fair", {"below": 0.5}, 0, False),
        ("exact", "poor", {"below": 0.5}, 1, True),
        ("exact", "good", {"is": "best", "within": 0.25}, 1, True),
        ("names", "yes", {"one_of": ["yes", "no"]}, 1, True),
        ("names", None, "yes", 0, False),
        ("some", ["u", "v"], ["u", "v", "w"], 2 / 3, True),  # two in both of three in either, and half is enough
        ("some", ["u", "x"], ["u", "v"], 1 / 3, False),
        ("some", [], [], 1, True),
        ("some", ["u", "v", "x"], {"includes": ["u"], "share": 1}, 1, True),
        ("some", ["x"], {"includes": ["u"]}, 0, False),
        ("some", ["u"], {"one_of": [["x"], ["u"]]}, 1, True),
        ("size", 12, 10, 1, True),  # 2 off is within
        ("size", 15, 10, 0.75, False),  # 1 - 5 / 20
        ("size", 15, {"is": 10, "within": 5}, 1, True),
        ("size", 15, {"above": 10, "at_most": 15}, 1, True),
        ("free", 3, 3.5, 0, False),
        ("free", 3, {"one_of": [1, 3]}, 1, True),
        ("day", "  TUESDAY. ", "Tuesday", 1, True),
        ("day", "It should say: on Tuesday", "Tuesday", 1, True),
        ("day", "two", "2", 1, True),
        ("day", "Friday", {"one_of": ["Tuesday", "Monday"]}, 0, False),
        ("day", " ", "Tuesday", 0, False),
        ("day", "long enough", {"at_least": 5}, 1, True),
        ("better", "a", "a", 1, True),
        ("better", "tie", {"one_of": ["a", "tie"]}, 1, True),
    ],
)
def test_one_question(
    mixed: Protocol, question: str, answer: object, expected: object, score: float, right: bool
) -> None:
    found = grade(mixed, {question: answer}, {question: expected}, shown_unit())
    assert found.score == pytest.approx(score)
    assert found.right is right
    assert found.sentences


@pytest.mark.parametrize(
    ("answer", "expected", "score", "told"),
    [
        ("a>d", "a>d", 1, ("“Best: Text A” is right.", "“Worst: Text D” is right.")),
        ("a>b", "a>d", 0.5, ("“Best: Text A” is right.", "You chose “Worst: Text B”; right would be “Worst: Text D”.")),
        ("c>b", "a>d", 0, None),
        ("d>a", "a>d", 0, None),  # both texts, the wrong way round
        ("a>b", {"one_of": ["a>d", "a>b"]}, 1, None),  # the worst of two bad ones is a matter of taste
        ("c>b", {"one_of": ["a>d", "a>b"]}, 0.5, None),
        (None, "a>d", 0, ("This was not answered.",)),
    ],
)
def test_the_best_and_the_worst_count_half_each(
    answer: str | None, expected: Any, score: float, told: tuple[str, ...] | None
) -> None:
    answers = {} if answer is None else {"picked": answer}
    result = grade(load("best-worst/1"), answers, {"picked": expected}, shown_unit())
    assert (result.score, result.right) == (score, score == 1)
    assert told is None or result.sentences == told


def test_a_unit_is_the_mean_of_its_questions_and_right_only_if_all_are(mixed: Protocol) -> None:
    found = grade(mixed, {"exact": "good", "near": "fair"}, {"near": "best", "exact": "good"}, shown_unit())
    assert [part.question for part in found.parts] == ["exact", "near"]  # in the protocol's order
    assert found.score == pytest.approx((1 + 0.5) / 2)
    assert not found.right


def test_passages_with_partial_credit(accuracy: Protocol) -> None:
    key = [
        {"start": 1, "end": 2, "label": "NUMBER", "correction": "nine"},
        {"start": 4, "end": 6, "label": "WORD"},
        {"start": 7, "end": 8, "label": "NAME", "because": "They played on Monday."},
    ]
    marks = [mark(1, 2, correction="it was 9"), mark(5, 6, "NAME"), mark(2, 3)]
    found = grade(accuracy, {"mistakes": marks}, {"mistakes": key}, shown_unit())
    (part,) = found.parts
    # First: all right, 1. Second: place 2*1/(2+1) = 2/3, label wrong: (3 * 2/3 + 2 * 0) / 5 = 0.4. Third: missed, 0.
    # Three passages and one extra mark: (1 + 0.4 + 0) / 4.
    assert found.score == pytest.approx(1.4 / 4)
    assert not found.right
    assert part.counts == {
        "expected": 3,
        "found": 2,
        "marks": 3,
        "extra": 1,
        "labels": 2,
        "labels_right": 1,
        "corrections": 1,
        "corrections_right": 1,
    }
    assert [(one.verdict, one.id) for one in part.marks] == [
        ("found", "e1"),
        ("extra", "e2"),
        ("found", "e5"),
        ("missed", ""),
    ]
    assert [one.sentence for one in part.marks] == [
        "Found: “two”.",
        "Not an error: “three”.",
        "Found: “five six”. Its category is Word, not Name.",
        "Missed: “eight” is wrong. Its category is Name. They played on Monday.",
    ]
    assert part.sentences == ("You found 2 of 3. 1 mark is on words that are not wrong.",)


def test_one_mark_may_find_two_passages(accuracy: Protocol) -> None:
    key = [{"start": 1, "end": 2}, {"start": 3, "end": 5}]
    (part,) = grade(accuracy, {"mistakes": [mark(1, 5)]}, {"mistakes": {"is": key, "recall": 1}}, shown_unit()).parts
    assert (part.counts["found"], part.counts["extra"], part.right) == (2, 0, True)
    # Places 2*1/(1+4) and 2*2/(2+4); the key names no label, so place is all there is to earn.
    assert part.score == pytest.approx((2 / 5 + 4 / 6) / 2)


def test_marking_nearly_everything_finds_nothing(accuracy: Protocol) -> None:
    key = [{"start": 1, "end": 2}, {"start": 4, "end": 5}]
    (part,) = grade(accuracy, {"mistakes": [mark(0, 8)]}, {"mistakes": key}, shown_unit()).parts
    assert (part.counts["found"], part.counts["extra"]) == (0, 1)


def test_right_by_shares_of_found_of_good_marks_and_of_categories(accuracy: Protocol) -> None:
    key = [{"start": place, "end": place + 1, "label": "NUMBER"} for place in range(4)]
    answers = {"mistakes": [mark(0, 1), mark(1, 2, "NAME"), mark(2, 3), mark(6, 7)]}
    lenient = {"recall": 0.75, "precision": 0.75, "category": 0.6}
    for name, share in lenient.items():
        assert grade(accuracy, answers, {"mistakes": {"is": key, **lenient}}, shown_unit()).right
        assert not grade(accuracy, answers, {"mistakes": {"is": key, **lenient, name: share + 0.1}}, shown_unit()).right


def test_passages_beside_those_looked_for_are_not_judged_when_only_some_are_known(accuracy: Protocol) -> None:
    answers = {"mistakes": [mark(0, 1), mark(5, 6)]}
    found = grade(accuracy, answers, {"mistakes": {"includes": [{"start": 0, "end": 1}]}}, shown_unit())
    assert found.right
    assert found.score == 1
    assert [one.verdict for one in found.parts[0].marks] == ["found"]


def test_an_optional_passage_costs_nobody_anything(accuracy: Protocol) -> None:
    key = {"mistakes": [{"start": 2, "end": 3, "optional": True}]}
    for marks in ([], [mark(2, 3)]):
        assert grade(accuracy, {"mistakes": marks}, key, shown_unit()).right


def test_nothing_to_mark(accuracy: Protocol) -> None:
    assert grade(accuracy, {"mistakes": []}, {"mistakes": []}, shown_unit()).sentences == (
        "Right: there is nothing to mark.",
    )
    found = grade(accuracy, {"mistakes": [mark(0, 1)]}, {"mistakes": []}, shown_unit())
    assert (found.score, found.right) == (0, False)
    assert grade(accuracy, {"mistakes": [mark(0, 1)]}, {"mistakes": {"at_least": 1}}, shown_unit()).right


def test_what_cannot_be_graded_is_refused(mixed: Protocol, accuracy: Protocol) -> None:
    with pytest.raises(QuestionNotAsked, match="exact"):
        grade(mixed, {}, {"exakt": "good"}, shown_unit())
    with pytest.raises(NothingToGrade):
        grade(mixed, {}, {}, shown_unit())
    with pytest.raises(NoNumbers, match="yes"):
        grade(mixed, {"names": "yes"}, {"names": {"at_least": 1}}, shown_unit())
    with pytest.raises(ExpectedNotReadable, match="exactly one"):
        grade(mixed, {}, {"exact": {"is": "good", "at_least": 0.5}}, shown_unit())
    with pytest.raises(ExpectedNotReadable, match="passages"):
        grade(accuracy, {}, {"mistakes": "all"}, shown_unit())


places = st.tuples(st.integers(0, 7), st.integers(1, 3)).map(lambda one: (one[0], min(8, one[0] + one[1])))
labels = st.sampled_from(["NAME", "NUMBER", "WORD"])
spans = st.lists(
    st.builds(lambda place, label: mark(place[0], place[1], label), places, labels),
    max_size=6,
    unique_by=lambda one: one["start"],
)


@given(spans, spans)
def test_scores_lie_between_0_and_1_and_a_perfect_answer_earns_1(key: list[Any], marks: list[Any]) -> None:
    accuracy = load("accuracy/1")
    found = grade(accuracy, {"mistakes": marks}, {"mistakes": key}, shown_unit())
    (part,) = found.parts
    assert 0 <= found.score <= 1
    assert part.counts["found"] <= part.counts["expected"] == len(key)
    verdicts = [one.verdict for one in part.marks]
    assert verdicts.count("found") + verdicts.count("missed") == len(key)
    assert verdicts.count("extra") == part.counts["extra"]
    assert grade(accuracy, {"mistakes": key}, {"mistakes": key}, shown_unit()).score == pytest.approx(1)
    assert Grade.from_json(json.loads(json.dumps(found.to_json()))) == found


@given(spans, spans, labels)
def test_a_mark_on_right_words_never_helps(key: list[Any], marks: list[Any], label: str) -> None:
    accuracy = load("accuracy/1")
    key = [one for one in key if one["end"] < 8]
    before = grade(accuracy, {"mistakes": marks}, {"mistakes": key}, shown_unit())
    after = grade(accuracy, {"mistakes": [*marks, mark(7, 8, label)]}, {"mistakes": key}, shown_unit())
    assert after.score <= before.score
    assert not after.right
