"""The matching rule, on cases small enough to see."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from goldmark.records.mistakes import Mistake
from goldmark.records.spans import Span
from goldmark.stats.mistake_matching import MatchCounts, count, match


def mistake(start: int, end: int, label: str = "NAME") -> Mistake:
    return Mistake("t", Span(start, end), label)


def test_one_report_finds_only_one_gold_mistake() -> None:
    wide = mistake(0, 4)
    matches = match([mistake(0, 2), mistake(2, 4)], [wide])
    assert matches.found == ((mistake(0, 2), wide),)
    assert matches.missed == (mistake(2, 4),)


def test_a_second_report_of_the_same_gold_mistake_is_invented() -> None:
    matches = match([mistake(0, 4)], [mistake(3, 4), mistake(0, 1)])
    assert matches.found == ((mistake(0, 4), mistake(0, 1)),)
    assert matches.invented == (mistake(3, 4),)


def test_matching_goes_from_left_to_right_whatever_the_order_of_rows() -> None:
    # Taken in the order of rows, gold 0-5 would take 4-6 and leave nothing for gold 5-9.
    gold, reported = [mistake(5, 9), mistake(0, 5)], [mistake(4, 6), mistake(0, 1)]
    assert len(match(gold, reported).found) == 2


def test_neighbours_do_not_match() -> None:
    assert match([mistake(0, 2)], [mistake(2, 3)]).found == ()


def test_counts_by_mistake_and_by_token() -> None:
    # Gold tokens 0 1 2 and 6; reported 1 2 3 and 9: two tokens in common.
    assert count([mistake(0, 3), mistake(6, 7)], [mistake(1, 4), mistake(9, 10)]) == MatchCounts(1, 2, 2, 2, 4, 4)


@st.composite
def disjoint_mistakes(draw: st.DrawFn) -> list[Mistake]:
    cuts = sorted(draw(st.sets(st.integers(0, 30), max_size=12)))
    chosen = [pair for pair in pairwise(cuts) if draw(st.booleans())]
    return draw(st.permutations([mistake(start, end) for start, end in chosen]))


@given(disjoint_mistakes(), disjoint_mistakes())
def test_every_mistake_has_exactly_one_fate_and_order_does_not_matter(
    gold: list[Mistake], reported: list[Mistake]
) -> None:
    matches = match(gold, reported)
    assert sorted([pair[0] for pair in matches.found] + list(matches.missed), key=str) == sorted(gold, key=str)
    assert sorted([pair[1] for pair in matches.found] + list(matches.invented), key=str) == sorted(reported, key=str)
    assert match(gold[::-1], reported[::-1]) == matches


@given(disjoint_mistakes())
def test_a_list_finds_all_of_itself(gold: list[Mistake]) -> None:
    counts = count(gold, gold)
    assert counts.found == counts.gold == counts.submitted
    assert counts.tokens_found == counts.gold_tokens == counts.submitted_tokens


@given(disjoint_mistakes(), disjoint_mistakes())
def test_swapping_the_lists_swaps_recall_and_precision(gold: list[Mistake], reported: list[Mistake]) -> None:
    # Left-to-right matching of disjoint intervals finds the most pairs possible, so it is symmetric.
    there, back = count(gold, reported), count(reported, gold)
    assert (there.found, there.gold, there.tokens_found) == (back.found, back.submitted, back.tokens_found)
