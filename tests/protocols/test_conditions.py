"""Conditions mean the same here and on the page; condition_cases.json is read by both sides' tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goldmark.protocols.conditions import Condition, NotACondition, holds

CASES = json.loads(Path(__file__).with_name("condition_cases.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["note"])
def test_shared_case(case: dict[str, Any]) -> None:
    condition = Condition.of(case["expression"])
    assert condition.tree == case["tree"]
    assert condition.holds(case["answers"], case["numbers"]) is case["expected"]


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("", "it ends where the id of a question was expected"),
        ("verdict ==", "it ends where a word, a number or text"),
        ("verdict = fine", 'cannot read "= fine"'),
        ("(verdict", 'it ends where ")" was expected'),
        ("verdict == fine)", '")" stands where "and", "or" or the end'),
        ("count(errors)", "a comparison after count"),
        ("verdict fine", '"fine" stands where'),
        ("verdict in fine", '"fine" stands where "["'),
        ("verdict in []", '"]" stands where a word'),
        ("3 < count(errors)", '"3" stands where the id of a question'),
        ('verdict == ""', "that is not blank"),
        ("__import__('os').system('true')", "cannot read"),
        ("not " * 60 + "a", "nests at most 50"),
        ("a and " * 400 + "a", "at most 2000 characters"),
        ("a or " * 100 + "a", "at most 200 words and signs"),
        ("a\x00b", "cannot read"),
    ],
)
def test_what_cannot_be_read_is_told(written: str, told: str) -> None:
    with pytest.raises(NotACondition) as error:
        Condition.of(written)
    assert told in str(error.value)


def test_the_longest_condition_can_be_written_as_json() -> None:
    tree = Condition.of(" or ".join(["a"] * 100)).tree
    assert orjson.loads(orjson.dumps(tree)) == tree


def test_something_else_than_text_is_refused() -> None:
    with pytest.raises(NotACondition, match="not True"):
        Condition.of(True)


def test_names_of_all_answers_that_are_looked_at() -> None:
    condition = Condition.of("a == x or count(b) > count(c) and not (d or value(e) < 3) and label == Y")
    assert condition.names() == {"a", "b", "c", "d", "e", "label"}


words = st.sampled_from(["a", "b", "c"])
trees = st.recursive(
    st.one_of(
        words.map(lambda name: (name, ["answered", name])),
        st.tuples(words, st.sampled_from(["==", "!="])).map(
            lambda two: (f"{two[0]} {two[1]} x", [two[1], ["answer", two[0]], ["value", "x"]])
        ),
        st.tuples(words, st.integers(0, 3)).map(
            lambda two: (f"count({two[0]}) <= {two[1]}", ["<=", ["count", two[0]], ["value", two[1]]])
        ),
    ),
    lambda inner: st.one_of(
        inner.map(lambda one: (f"not ({one[0]})", ["not", one[1]])),
        st.tuples(st.sampled_from(["and", "or"]), inner, inner).map(
            lambda three: (f"({three[1][0]}) {three[0]} ({three[2][0]})", [three[0], three[1][1], three[2][1]])
        ),
    ),
    max_leaves=8,
)
answers = st.dictionaries(
    words, st.one_of(st.none(), st.sampled_from(["x", "y", ""]), st.lists(st.just("x"), max_size=3))
)


@settings(deadline=None)
@given(trees)
def test_parsing_gives_back_the_tree_that_was_written(written: tuple[str, list[Any]]) -> None:
    assert Condition.of(written[0]).tree == written[1]


@settings(deadline=None)
@given(trees, trees, answers)
def test_de_morgan(one: tuple[str, list[Any]], other: tuple[str, list[Any]], given_answers: dict[str, Any]) -> None:
    left = holds(["not", ["and", one[1], other[1]]], given_answers, {})
    assert left is holds(["or", ["not", one[1]], ["not", other[1]]], given_answers, {})


@settings(deadline=None)
@given(st.text(max_size=60))
def test_any_text_is_parsed_or_refused_and_nothing_else(written: str) -> None:
    try:
        tree = Condition.of(written).tree
    except NotACondition:
        return
    assert holds(tree, {}, {}) in (True, False)
