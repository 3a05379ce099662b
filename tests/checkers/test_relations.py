"""RG, CS and CO from claims."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldmark.checkers.plugins import CheckedClaim, CheckedText, Relation
from goldmark.checkers.relations import edit_distance, relation_scores
from goldmark.records.spans import Span


def checked(*relations: Relation) -> CheckedText:
    return CheckedText((), (CheckedClaim(Span(0, 1), {}, "supported", relations=relations),))


def said(what: str, value: str, *, right: bool = True) -> Relation:
    return Relation("Conrad Vale", what, value, "supported" if right else "contradicted")


def test_scores_against_a_reference() -> None:
    # Text: points, rebounds (wrong), steals. Reference: points, assists. One of three shared, one of two wanted.
    text = {"T1": checked(said("points", "24"), said("rebounds", "9", right=False), said("steals", "1"))}
    reference = {"T1": checked(said("points", "24"), said("assists", "3"))}
    scores = relation_scores(text, reference)
    assert (scores.relations, scores.supported) == (3, 2)
    assert scores.precision == pytest.approx(2 / 3)
    assert scores.selection_precision == pytest.approx(1 / 3)
    assert scores.selection_recall == pytest.approx(1 / 2)
    # From (points, rebounds, steals) to (points, assists): one replacement and one deletion, of at most three.
    assert scores.ordering == pytest.approx(1 - 2 / 3)


def test_nothing_found_gives_no_figure() -> None:
    scores = relation_scores({"T1": CheckedText(())})
    assert scores.precision is None
    assert scores.selection_recall is None


TRIPLES = st.lists(st.sampled_from([("a", "b", "1"), ("a", "b", "2"), ("c", "b", "1")]), max_size=6)


@given(TRIPLES, TRIPLES)
def test_the_distance_is_symmetric_and_bounded(
    first: list[tuple[str, str, str]], second: list[tuple[str, str, str]]
) -> None:
    distance = edit_distance(first, second)
    assert distance == edit_distance(second, first)
    assert abs(len(first) - len(second)) <= distance <= max(len(first), len(second))
    assert (distance == 0) == (first == second)


def test_a_swap_of_neighbours_is_one_step() -> None:
    a, b = ("a", "x", "1"), ("b", "x", "1")
    assert edit_distance([a, b], [b, a]) == 1
