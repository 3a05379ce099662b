"""What an answer must satisfy, kind by kind; the examples folder holds the same for every built-in protocol."""

from __future__ import annotations

import difflib
from collections.abc import Collection
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goldmark.errors import MOST_PROBLEMS, Problem
from goldmark.protocols import load, tidied, validate
from goldmark.protocols.kinds.text import QUOTABLE
from goldmark.protocols.loading.did_you_mean import MOST_COMPARED
from tests.protocols.conftest import MakeProtocol, MakeUnit, shown_unit


def one(problems: list[Problem]) -> Problem:
    assert len(problems) == 1, problems
    return problems[0]


def span(name: str, start: int, end: int, label: str = "NUMBER", **rest: Any) -> dict[str, Any]:
    return {"id": name, "start": start, "end": end, "label": label, "correction": "x", **rest}


@pytest.mark.parametrize(
    ("spans", "part", "what"),
    [
        ([span("e1", 0, 9)], "e1", "runs past the text, which has 8 tokens"),
        ([span("e1", 3, 3)], "e1", "empty or reversed"),
        ([span("e1", 5, 3)], "e1", "empty or reversed"),
        ([span("e1", -1, 3)], "e1", "empty or reversed"),
        ([span("e1", True, 3)], "e1", "must be whole numbers"),
        ([span("e1", 1.0, 3)], "e1", "must be whole numbers"),  # type: ignore[arg-type]
        ([span("e1", 2, 4), span("e2", 3, 5)], "e2", 'overlaps the span "e1"'),
        ([span("e1", 2, 8), span("e2", 3, 4), span("e3", 8, 8)], "e2", 'overlaps the span "e1"'),
        ([span("e1", 2, 4, "NAMES")], "e1", "is not a label"),
        ([span("e1", 2, 4, "")], "e1", "has no label"),
        ([span("e1", 2, 4, 3)], "e1", "has no label"),  # type: ignore[arg-type]
        ([span("e1", 2, 4, links={"associated": []})], "e1", 'in the role "associated"'),
        ([span("e1", 2, 4, links=[])], "e1", "must be given by role"),
        ([span("e1", 2, 4, correction=" ")], "e1", "Something is missing"),
        ([span("e1", 2, 4, correction=7)], "e1.correction", "must be text"),
        ([span("e1", 2, 4, correction="a\x00b")], "e1.correction", "NUL"),
        ([span("e1", 2, 4, correction="a" * 2001)], "e1.correction", "too many"),
        ([span("", 2, 4)], "", "Span number 1 has no usable id"),
        ([span("<b>", 2, 4)], "", "Span number 1 has no usable id"),
        (["e1"], "", "Span number 1 has no usable id"),
        ({"e1": {}}, "", "must be a list of spans"),
        ([span(f"e{n}", 0, 1) for n in range(1001)], "", "1001 spans are marked"),
    ],
)
def test_wrong_spans(spans: Any, part: str, what: str, unit: MakeUnit) -> None:
    problems = validate(load("accuracy"), {"mistakes": spans}, unit())
    found = next(problem for problem in problems if problem.part == part)
    assert found.where == "mistakes"
    assert what in found.what


def test_spans_that_touch_are_not_overlapping(unit: MakeUnit) -> None:
    assert validate(load("accuracy"), {"mistakes": [span("e2", 4, 6), span("e1", 2, 4)]}, unit()) == []


def test_the_prompt_is_not_judged_but_may_be_linked(protocol_of: MakeProtocol, unit: MakeUnit) -> None:
    protocol = protocol_of("steps: [questions: [{id: s, kind: spans, links: {to: {at_most: 2}}}]]")
    inside = {"id": "e1", "start": 1, "end": 4}
    assert "given beginning" in one(validate(protocol, {"s": [inside]}, unit(prompt=2))).what
    outside = {"id": "e1", "start": 2, "end": 4, "links": {"to": [{"start": 0, "end": 1}]}}
    assert validate(protocol, {"s": [outside]}, unit(prompt=2)) == []


def test_characters_are_code_points_and_the_prompt_ends_after_its_last_token(
    protocol_of: MakeProtocol, unit: MakeUnit
) -> None:
    protocol = protocol_of("steps: [questions: [{id: s, kind: spans, by: character}]]")
    shown = unit("a😀 bc", prompt=1)  # five code points: a, 😀, space, b, c; the prompt is the first two
    assert validate(protocol, {"s": [{"id": "e1", "start": 2, "end": 5}]}, shown) == []
    assert "5 characters" in one(validate(protocol, {"s": [{"id": "e1", "start": 2, "end": 6}]}, shown)).what
    assert "given beginning" in one(validate(protocol, {"s": [{"id": "e1", "start": 1, "end": 3}]}, shown)).what


ATTRIBUTES = """
taxonomies: {t: [{id: A, children: [{id: B}]}, {id: C}]}
steps:
  - questions:
      - id: s
        kind: spans
        labels: {tree: t, any_level: true}
        attributes:
          - {id: severity, kind: choice, options: {low: 1, high: 5}}
          - {id: why, kind: text, when: value(severity) > 1 and label == A}
"""


@pytest.mark.parametrize(
    ("label", "severity", "why", "part"),
    [
        ("A", "high", "x", ""),
        ("A.B", "high", "x", ""),
        ("A.B", "high", None, "e1.why"),
        ("C", "high", None, ""),
        ("C", "high", "x", "e1.why"),
        ("A", "low", "x", "e1.why"),
        ("A", "low", "", ""),
        ("A", None, None, "e1.severity"),
    ],
)
def test_attributes_are_asked_by_label_and_earlier_attributes(
    label: str, severity: str | None, why: str | None, part: str, protocol_of: MakeProtocol, unit: MakeUnit
) -> None:
    answer = {"id": "e1", "start": 0, "end": 1, "label": label, "severity": severity, "why": why}
    problems = validate(protocol_of(ATTRIBUTES), {"s": [answer]}, unit())
    assert [problem.part for problem in problems] == ([part] if part else [])


CHAIN = """
steps:
  - questions: [{id: a, kind: choice, options: [x, y]}]
  - when: a == x
    questions: [{id: b, kind: choice, options: [x, y]}]
  - questions: [{id: c, kind: text, when: b == x}, {id: d, kind: number, required: false}]
"""


def test_an_answer_that_was_not_asked_counts_for_nothing(protocol_of: MakeProtocol, unit: MakeUnit) -> None:
    """`b` is given but not asked, so `c`, which looks at it, is not asked either."""
    problems = validate(protocol_of(CHAIN), {"a": "y", "b": "x", "c": "text"}, unit())
    assert [problem.where for problem in problems] == ["b", "c"]
    assert validate(protocol_of(CHAIN), {"a": "y", "b": None, "c": " "}, unit()) == []
    assert validate(protocol_of(CHAIN), {"a": "x", "b": "x", "c": "text", "d": 3}, unit()) == []


@pytest.mark.parametrize(
    ("answer", "accepted"),
    [
        *((good, True) for good in (3, 3.0, 0, 10)),
        *((bad, False) for bad in (11, -1, 2.5, True, "3", 1e300, float("nan"))),
    ],
)
def test_numbers(answer: object, accepted: bool, protocol_of: MakeProtocol, unit: MakeUnit) -> None:
    protocol = protocol_of("steps: [questions: [{id: n, kind: number, at_least: 0, at_most: 10, whole: true}]]")
    assert (validate(protocol, {"n": answer}, unit()) == []) is accepted


@pytest.mark.parametrize(
    ("answer", "accepted"),
    [
        ("one two three four five", False),
        ("ONE  two\nthree four five", False),
        ("I read: one two three four five", True),
        ("one two three four", True),  # 18 characters, which may be quoted
        ("the source has this sentence", False),
    ],
)
def test_pasted_text(answer: str, accepted: bool, protocol_of: MakeProtocol, unit: MakeUnit) -> None:
    assert len("one two three four") <= QUOTABLE < len("one two three four five")
    protocol = protocol_of("steps: [questions: [{id: why, kind: text, not_pasted: true}]]")
    shown = unit(source="Here the source has this sentence.")
    assert (validate(protocol, {"why": answer}, shown) == []) is accepted


@pytest.mark.parametrize(
    ("answers", "what"),
    [
        ([], "must be an object"),
        ({"mistakes": [{"x": "a" * 1_000_001}]}, "bytes"),
        ({"mistakes": "\ud800"}, "cannot be stored"),
        ({1: 2}, "cannot be stored"),
        ({"mistakes": {1, 2}}, "cannot be stored"),
    ],
)
def test_what_is_no_answer_at_all(answers: object, what: str, unit: MakeUnit) -> None:
    assert what in one(validate(load("accuracy"), answers, unit())).what


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=True) | st.text(max_size=10),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["id", "start", "end", "label", "links", "associated", "correction"]), inner)
    ),
    max_leaves=10,
)


@pytest.mark.parametrize("name", ["tgea", "humanlike", "explanation-coding", "span-severity", "pairwise"])
@settings(deadline=None)
@given(data=st.data())
def test_any_json_is_accepted_or_refused_and_nothing_else(name: str, data: st.DataObject) -> None:
    protocol = load(name)
    ids = [question.id for question in protocol.questions()]
    answers = data.draw(st.dictionaries(st.sampled_from([*ids, "other"]), json_values))
    shown = shown_unit()
    if name == "pairwise":
        shown = type(shown)({"a": shown.texts["text"], "b": shown.texts["text"]})
    for problem in validate(protocol, answers, shown):
        assert problem.what


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 7), st.integers(1, 8)).filter(lambda two: two[0] < two[1]), max_size=6))
def test_overlaps_are_found_exactly_when_two_spans_share_a_token(places: list[tuple[int, int]]) -> None:
    spans = [span(f"e{number}", *place) for number, place in enumerate(places)]
    shared = any(
        set(range(*one)) & set(range(*other)) for number, one in enumerate(places) for other in places[number + 1 :]
    )
    assert bool(validate(load("accuracy"), {"mistakes": spans}, shown_unit())) is shared


TEXTS_AND_SPANS = """
steps:
  - questions:
      - {id: why, kind: text, at_most: 5}
      - {id: score, kind: number}
      - id: marks
        kind: spans
        attributes: [{id: correction, kind: text}, {id: n, kind: number}, {id: pick, kind: choice, options: [a, b]}]
"""


def test_words_are_kept_without_white_space_around_them(protocol_of: MakeProtocol) -> None:
    asked = protocol_of(TEXTS_AND_SPANS)
    mark = {"id": "e1", "start": 0, "end": 1, "correction": " the  Owls\n", "n": 3, "pick": "a"}
    sent = {"why": "\n a b\t", "score": 4, "marks": [mark], "marks.dismissed": [" s1 "], "other": " x "}
    before = repr(sent)
    assert tidied(asked, sent) == {
        **sent,
        "why": "a b",
        "marks": [{**mark, "correction": "the  Owls"}],
    }
    assert repr(sent) == before  # what was sent is not changed itself


@pytest.mark.parametrize("sent", [None, [], "x", {"why": 3, "marks": "x"}, {"marks": [None, {"correction": 7}, "e1"]}])
def test_what_cannot_be_tidied_is_left_to_be_refused(protocol_of: MakeProtocol, sent: object) -> None:
    assert tidied(protocol_of(TEXTS_AND_SPANS), sent) == sent


def test_an_answer_of_nothing_but_mistakes_is_not_compared_with_everything(
    unit: MakeUnit, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody else was answered while 60,000 keys were each compared with those that there are."""
    compared: list[int] = []
    near = difflib.get_close_matches

    def counted(word: str, known: Collection[str], **how: Any) -> list[str]:
        compared.append(len(known))
        return near(word, known, **how)

    monkeypatch.setattr(difflib, "get_close_matches", counted)
    keys = {f"correct{number}": 1 for number in range(30)}
    problems = validate(
        load("accuracy"), {"mistakes": [span(f"e{n}", 0, 1, "NUMBERS", **keys) for n in range(90)]}, unit()
    )
    assert len(problems) == MOST_PROBLEMS
    assert sum(compared) <= MOST_COMPARED
    assert 'Did you mean "correction"?' in problems[0].remedy  # the first still are


def test_of_unknown_questions_a_thousand_are_told(unit: MakeUnit) -> None:
    problems = validate(load("accuracy"), {f"q{number}": 1 for number in range(2_000)}, unit())
    assert len(problems) == MOST_PROBLEMS
