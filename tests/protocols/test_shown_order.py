"""Two texts may be exchanged where a protocol treats them alike; then both orders mean and allow exactly the same."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldmark.protocols import Protocol, load, parse, validate
from goldmark.protocols.shown_order import AS_GIVEN, AsGiven, ComparedTexts, ShownOrder, compared_texts, shown_before
from goldmark.records.spans import Span
from goldmark.records.units import ContextText, ShownText, ShownUnit, Suggested
from goldmark.texts.segmentation.text import make_text

HEAD = """
protocol: both/1
title: Both
texts: [a, b]
taxonomies: {faults: [{id: WRONG}, {id: ODD}]}
steps:
"""
# Everything that can name a text: a choice, marks on each, questions about each, conditions on all of them.
ALIKE = """
  - questions:
      - {id: better, kind: compare, tie: true}
      - {id: reason, kind: text, when: "better in [a, b]", required: false, not_pasted: true, at_least: 3}
      - {id: why_tie, kind: choice, options: [alike, useless], when: better == tie}
      - {id: fluent_a, kind: choice, options: {no: 0, yes: 1}, ask: Is Text A fluent?}
      - {id: fluent_b, kind: choice, options: {no: 0, yes: 1}, ask: Is Text B fluent?}
      - {id: loss_a, kind: number, at_least: 0, at_most: 9, when: better == b or value(fluent_a) < value(fluent_b)}
      - {id: loss_b, kind: number, at_least: 0, at_most: 9, when: value(fluent_b) < value(fluent_a) or better == a}
  - when: not better == tie
    questions:
      - {id: faults_a, kind: spans, labels: {tree: faults}, at_most: 2}
      - {id: faults_b, kind: spans, of: b, labels: {tree: faults}, at_most: 2}
      - {id: even, kind: choice, options: [yes, no], when: count(faults_b) == count(faults_a)}
"""


def _protocol(questions: str) -> Protocol:
    return parse(HEAD + questions)


def _text(name: str, words: str, *, suggested: int, prompt: int) -> ShownText:
    marks = tuple(Suggested(f"s{number}", number, number + 1, "ODD") for number in range(prompt, prompt + suggested))
    return ShownText(make_text(name, words), prompt=Span(0, prompt) if prompt else None, suggested=marks)


UNIT = ShownUnit(
    {
        "a": _text("u/a", "One two three four five .", suggested=1, prompt=0),
        "b": _text("u/b", "Six seven eight nine ten eleven twelve .", suggested=2, prompt=2),
    },
    (ContextText("Request", "Count to five, please."),),
)
BOTH = _protocol(ALIKE)
PAIR = compared_texts(BOTH)
SWAPPED = ShownOrder(PAIR if isinstance(PAIR, ComparedTexts) else None, "b")
MARK = st.fixed_dictionaries(
    {"id": st.sampled_from(["e1", "e2"]), "start": st.integers(0, 6), "end": st.integers(1, 9)},
    optional={"label": st.sampled_from(["WRONG", "ODD", "NOPE"]), "suggested": st.sampled_from(["s0", "s2", "s3"])},
)
MARKS = st.lists(MARK, max_size=3)
DISMISSED = st.lists(st.sampled_from(["s0", "s2", "s3"]), max_size=3)
YES_NO = st.sampled_from(["yes", "no"])
ANSWERS = st.fixed_dictionaries(
    {"better": st.sampled_from(["a", "b", "tie", "c"]) | st.none() | st.just(3)},
    optional={
        "reason": st.sampled_from(["because", "Count to five, please.", "no"]),
        "why_tie": st.just("alike"),
        "fluent_a": YES_NO,
        "fluent_b": YES_NO,
        "loss_a": st.integers(-1, 9),
        "loss_b": st.integers(-1, 9),
        "faults_a": MARKS,
        "faults_b": MARKS,
        "faults_a.dismissed": DISMISSED,
        "faults_b.dismissed": DISMISSED,
        "even": YES_NO,
        "nobody_asked": st.just(1),
    },
)


def _on_page(unit: ShownUnit) -> ShownUnit:
    return ShownUnit.from_json(SWAPPED.unit(unit.to_json()))


def test_the_built_in_comparison_may_be_shown_in_either_order() -> None:
    pair = compared_texts(load("pairwise"))
    assert isinstance(pair, ComparedTexts)
    assert pair.roles == ("a", "b")
    assert [pair.turns[role].choices for role in pair.roles] == [{"preferred"}] * 2
    assert not ShownOrder(pair, "a").changed
    assert ShownOrder(pair, "b").changed


@pytest.mark.parametrize("number", [3, 4, 5])
def test_of_several_texts_each_stands_in_each_place_once(number: int) -> None:
    roles = "abcde"[:number]
    source = f"protocol: p/1\ntitle: P\ntexts: [{', '.join(roles)}]\nsteps:\n  - questions:\n"
    question = f"      - {{id: picked, kind: best_worst, between: [{', '.join(roles)}]}}\n"
    found = compared_texts(parse(source + question))
    assert isinstance(found, ComparedTexts)
    unit = {"texts": {role: role.upper() for role in roles}, "context": []}
    orders = [ShownOrder(found, role) for role in roles]
    shown = ["".join(order.unit(unit)["texts"].values()) for order in orders]
    assert [one[0] for one in shown] == list(roles.upper())
    assert all(sorted(column) == list(roles.upper()) for column in zip(*shown, strict=True))
    for order, texts in zip(orders, shown, strict=True):
        assert list(order.unit(unit)["texts"]) == list(roles)
        # Whoever names the first and the second on the page names the two texts that stood there.
        stored = order.answers({"picked": "a>b"})["picked"]
        assert stored == f"{texts[0]}>{texts[1]}".lower()
        assert order.answers(order.answers({"picked": "a>"})) == {"picked": "a>"}
        first, second = stored.split(">")
        assert shown_before(roles, first, second, order.first or "")
        assert not shown_before(roles, second, first, order.first or "")


def test_several_texts_of_which_only_some_are_compared_are_shown_as_given() -> None:
    source = "protocol: p/1\ntitle: P\ntexts: [a, b, c, d]\nsteps:\n  - questions:\n"
    found = compared_texts(parse(f"{source}      - {{id: picked, kind: best_worst, between: [a, b, c]}}\n"))
    assert found == AsGiven('"picked" does not compare all of them')


@given(ANSWERS)
def test_what_is_wrong_is_the_same_whichever_text_is_shown_first(on_page: dict[str, Any]) -> None:
    """An answer is accepted against what the page shows exactly if its stored form is accepted against the unit."""
    there = validate(BOTH, on_page, _on_page(UNIT))
    here = validate(BOTH, SWAPPED.answers(on_page), UNIT)
    assert {(SWAPPED.question(one.where), one.part, one.what) for one in here} == {
        (one.where, one.part, one.what) for one in there
    }


@given(ANSWERS)
def test_exchanging_twice_changes_nothing(answers: dict[str, Any]) -> None:
    stored = SWAPPED.answers(answers)
    assert SWAPPED.answers(stored) == answers
    assert SWAPPED.unit(SWAPPED.unit(UNIT.to_json())) == UNIT.to_json()
    assert list(SWAPPED.unit(UNIT.to_json())["texts"]) == ["a", "b"]


def test_an_answer_that_both_texts_deserve_is_accepted_in_both_orders() -> None:
    """The strategies above mostly find wrong answers; this one is right, so that not only refusals are equal."""
    answers = {
        "better": "b",
        "fluent_a": "no",
        "fluent_b": "yes",
        "loss_a": 3,
        "faults_a": [{"id": "e1", "start": 6, "end": 7, "label": "ODD", "suggested": "s2"}],
        "faults_a.dismissed": ["s3"],
        "faults_b": [],
        "faults_b.dismissed": ["s0"],
    }
    assert validate(BOTH, answers, _on_page(UNIT)) == []
    stored = SWAPPED.answers(answers)
    assert stored == {
        "better": "a",
        "fluent_a": "yes",
        "fluent_b": "no",
        "loss_b": 3,
        "faults_a": [],
        "faults_a.dismissed": ["s0"],
        "faults_b": [{"id": "e1", "start": 6, "end": 7, "label": "ODD", "suggested": "s2"}],
        "faults_b.dismissed": ["s3"],
    }
    assert validate(BOTH, stored, UNIT) == []
    assert validate(BOTH, answers, UNIT), "the marks lie on the longer text only"


@pytest.mark.parametrize("first", ["a", "b", None])
def test_the_order_of_keys_does_not_tell_what_was_exchanged(first: str | None) -> None:
    """An import sorts keys; what goes out is in the order of the protocol, whatever was exchanged."""
    assert isinstance(PAIR, ComparedTexts)
    order = ShownOrder(PAIR, first)
    stored = {"fluent_b": "no", "fluent_a": "yes", "better": "a", "zz": 1}
    assert list(order.answers(stored)) == ["better", "fluent_a", "fluent_b", "zz"]
    remarks = [{"where": name, "part": "", "comment": name} for name in ("fluent_b", "better", "fluent_a", "gone")]
    assert [one["where"] for one in order.remarks(remarks)] == ["better", "fluent_a", "fluent_b", "gone"]
    texts = {role: UNIT.to_json()["texts"][role] for role in ("b", "a")}
    assert list(order.unit({"texts": texts, "context": []})["texts"]) == ["a", "b"]


def test_a_draft_of_any_shape_is_kept() -> None:
    drafts: list[Any] = [{"better": ["a"]}, {"better": {"a": 1}}, [], None, "a"]
    for draft in drafts:
        assert SWAPPED.answers(draft) == draft
    assert AS_GIVEN.answers({"better": "a"}) == {"better": "a"}


@pytest.mark.parametrize(
    ("questions", "why"),
    [
        (["id: faults, kind: spans"], '"faults" marks "a", and no question'),
        (["id: clear_a, kind: text"], 'but no "clear_b" that asks the same'),
        (["id: x_a, kind: text", "id: x_b, kind: text, at_least: 9"], '"x_a" and "x_b" do not ask the same'),
        (["id: why, kind: text, when: better == a"], "not asked under the same condition"),
        (["id: who, kind: choice, options: [a, b]"], '"who" names a text'),
        (
            ["id: n_a, kind: number", "id: n_b, kind: number", "id: why, kind: text, when: n_a < 3"],
            "not asked under the same condition",
        ),
        (
            [
                "id: x_a, kind: spans",
                "id: y_a, kind: spans, overlap: true",
                "id: y_b, kind: spans, of: b, overlap: true",
                "id: x_b, kind: spans, of: b",
            ],
            "suggestions on the texts",
        ),
    ],
)
def test_texts_that_are_not_treated_alike_are_shown_as_given(questions: list[str], why: str) -> None:
    lines = [f"      - {{{one}}}\n" for one in ("id: better, kind: compare", *questions)]
    found = compared_texts(_protocol("  - questions:\n" + "".join(lines)))
    assert isinstance(found, AsGiven)
    assert why in found.why


def test_where_nothing_is_compared_no_order_is_drawn() -> None:
    for protocol in (load("accuracy"), _protocol("  - questions: [{id: stars, kind: number}]\n")):
        assert compared_texts(protocol) == AsGiven("it compares no two texts")


@pytest.mark.parametrize(
    ("roles", "drawn"),
    [("text1, text2", True), ("x, y", True), ("original, edited", False), ("human, machine", False)],
)
def test_only_names_of_places_may_be_traded(roles: str, drawn: bool) -> None:
    source = f"protocol: p/1\ntitle: P\ntexts: [{roles}]\nsteps:\n  - questions:\n"
    found = compared_texts(parse(f"{source}      - {{id: better, kind: compare, between: [{roles}]}}\n"))
    assert isinstance(found, ComparedTexts) == drawn
