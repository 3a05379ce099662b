"""RG, CS and CO from claims."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldmark.checkers.boxscore.checker import BoxScoreChecker
from goldmark.checkers.boxscore.plugin import SummaryChecker
from goldmark.checkers.plugins import CheckedText
from goldmark.checkers.relations import edit_distance, relation_scores, relations_of
from goldmark.texts.gsml import spaced_text
from tests.checkers.league import LEAGUE, game


def checked(text: str) -> CheckedText:
    return SummaryChecker(BoxScoreChecker(LEAGUE), {"T1": game()}).check(spaced_text("T1", text))


def test_relations_are_who_what_and_value_with_a_verdict() -> None:
    found = relations_of(checked("Conrad Vale had 24 points and nine rebounds on 9 - of - 18 shooting ."))
    assert [(item.triple, item.verdict) for item in found] == [
        (("Conrad Vale", "points", "24"), "supported"),
        (("Conrad Vale", "rebounds", "9"), "contradicted"),
        (("Conrad Vale", "fgm", "9"), "supported"),
        (("Conrad Vale", "fga", "18"), "supported"),
    ]


def test_scores_against_a_reference() -> None:
    # Text: points, rebounds (wrong), steals. Reference: points, assists. One of three shared, one of two wanted.
    text = {"T1": checked("Conrad Vale had 24 points , nine rebounds and a steal .")}
    reference = {"T1": checked("Conrad Vale had 24 points and three assists .")}
    scores = relation_scores(text, reference)
    assert (scores.relations, scores.supported) == (3, 2)
    assert scores.precision == pytest.approx(2 / 3)
    assert scores.selection_precision == pytest.approx(1 / 3)
    assert scores.selection_recall == pytest.approx(1 / 2)
    # From (points, rebounds, steals) to (points, assists): one replacement and one deletion, of at most three.
    assert scores.ordering == pytest.approx(1 - 2 / 3)


def test_nothing_found_gives_no_figure() -> None:
    scores = relation_scores({"T1": checked("A fine evening .")})
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
