"""Agreement on spans, on cases small enough to count by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goldmark.records.spans import Span
from goldmark.stats.agreement_measures.mark_columns import Mark, MarkColumns, SeenText
from goldmark.stats.agreement_measures.span_matching import overlapping_pairs
from goldmark.stats.agreement_measures.spans import SpanAgreement, _matched, span_agreement
from tests.examples import one_in


def seen(name: str, length: int, **marks: str) -> SeenText:
    """`ann="0-2 NAME, 5-6 WORD"`: positions from 0, end exclusive."""
    read: dict[str, list[tuple[Span, str]]] = {}
    for who, written in marks.items():
        read[who] = []
        for part in filter(None, written.split(", ")):
            place, label = part.split()
            start, end = map(int, place.split("-"))
            read[who].append((Span(start, end), label))
    return SeenText(name, length, read)


def matched_labels(first: list[Mark], second: list[Mark]) -> list[tuple[str, str]]:
    """The categories that two people gave to spans of theirs that are taken for the same."""
    columns = MarkColumns.of([SeenText("", 0, {"1": first, "2": second})])
    _, mine, theirs = _matched(columns)
    return [(columns.labels[one], columns.labels[two]) for one, two in zip(mine, theirs, strict=True)]


def measure(*texts: SeenText) -> SpanAgreement:
    return span_agreement(texts, rng=np.random.default_rng(1))


def test_token_alpha_of_ten_tokens() -> None:
    # Marked or not, 10 tokens by two people: both mark 0; ann also 1, bob also 2. 16 "not", 4 "marked"; two tokens
    # disagree: Do = 4/20, De = 2*16*4/(20*19), alpha = 1 - 0.2 * 380 / 128 = 0.40625.
    result = measure(seen("t", 10, ann="0-2 NAME", bob="0-1 NAME, 2-3 NAME"))
    assert result.marked_alpha.value == pytest.approx(0.40625)
    assert result.token_alpha.value == pytest.approx(0.40625)
    assert result.marked_alpha.interval is None
    assert "no interval" in result.marked_alpha.reason


def test_token_alpha_with_categories_counts_wrong_ones_as_disagreement() -> None:
    same = measure(seen("t", 10, ann="0-2 NAME", bob="0-2 NAME"), seen("u", 10, ann="3-4 WORD", bob="3-4 WORD"))
    other = measure(seen("t", 10, ann="0-2 NAME", bob="0-2 WORD"), seen("u", 10, ann="3-4 WORD", bob="3-4 WORD"))
    assert same.token_alpha.value == pytest.approx(1)
    assert other.marked_alpha.value == pytest.approx(1)
    assert other.token_alpha.value is not None
    assert other.token_alpha.value < 0.8
    assert same.gamma.figure.value == pytest.approx(1)


def test_token_f1_is_the_mean_of_pairs() -> None:
    # ann and bob share 1 of 2 + 1 tokens: 2/3. eve marked 4-5 only: 0 with both. Mean 2/9.
    text = seen("t", 9, ann="0-2 NAME", bob="1-2 NAME", eve="4-5 NAME")
    result = measure(text)
    assert result.token_f1.value == pytest.approx(2 / 9)
    assert {(pair.first, pair.second): pair.f1.value for pair in result.pairs} == {
        ("ann", "bob"): pytest.approx(2 / 3),
        ("ann", "eve"): 0,
        ("bob", "eve"): 0,
    }


def test_category_agreement_looks_at_matched_spans_only() -> None:
    text = seen("t", 20, ann="0-2 NAME, 5-6 WORD, 9-10 NAME", bob="1-2 NAME, 5-7 NUMBER")
    result = measure(text)
    assert result.category_percent.value == pytest.approx(0.5)
    assert result.category_percent.used == 2
    # NAME NAME / WORD NUMBER: Do = 2/4, De = (16 - 4 - 1 - 1) / 12 = 10/12: alpha = 1 - 0.6.
    assert result.category_alpha.value == pytest.approx(0.4)


def test_a_text_seen_by_one_person_is_left_out_and_counted() -> None:
    result = measure(seen("t", 9, ann="0-2 NAME", bob="0-2 NAME"), seen("u", 9, ann="0-2 NAME"))
    assert (result.token_alpha.used, result.token_alpha.skipped) == (1, 1)
    assert (result.gamma.figure.used, result.gamma.figure.skipped) == (1, 1)


def test_people_who_share_no_text_make_no_pair() -> None:
    result = measure(seen("t", 9, ann="0-2 NAME", bob="0-2 NAME"), seen("u", 9, eve="0-2 NAME", fay="0-1 NAME"))
    assert [(pair.first, pair.second) for pair in result.pairs] == [("ann", "bob"), ("eve", "fay")]
    assert result.token_f1.value == pytest.approx((1 + 2 / 3) / 2)


@pytest.mark.parametrize("texts", [(), (seen("t", 9, ann="0-2 NAME"),), (seen("t", 9, ann="", bob=""),)])
def test_what_cannot_be_computed_is_explained(texts: tuple[SeenText, ...]) -> None:
    result = measure(*texts)
    for figure in (
        result.token_alpha,
        result.marked_alpha,
        result.token_f1,
        result.category_percent,
        result.category_alpha,
        result.gamma.figure,
    ):
        assert figure.value is None
        assert figure.reason


def test_matching_is_from_left_to_right_and_once() -> None:
    spans = [Span(5, 9), Span(0, 5)], [Span(4, 6), Span(0, 1)]
    assert overlapping_pairs(*spans) == [(1, 1), (0, 0)]
    assert matched_labels([(Span(0, 4), "A")], [(Span(2, 3), "B"), (Span(0, 1), "C")]) == [("A", "C")]


@settings(max_examples=one_in(4))
@given(
    st.lists(
        st.tuples(st.sets(st.integers(0, 9), max_size=4), st.sets(st.integers(0, 9), max_size=4)),
        min_size=2,
        max_size=5,
    )
)
def test_intervals_contain_their_values_and_names_do_not_matter(tokens: list[tuple[set[int], set[int]]]) -> None:
    def texts(first: str, second: str) -> list[SeenText]:
        marks = [[[(Span(place, place + 1), "X") for place in sorted(own)] for own in pair] for pair in tokens]
        return [SeenText(str(number), 10, {first: one, second: two}) for number, (one, two) in enumerate(marks)]

    one = measure(*texts("ann", "bob"))
    two = measure(*texts("zoe", "bob"))
    assert one.token_f1.value == pytest.approx(two.token_f1.value)
    assert one.token_alpha.value == pytest.approx(two.token_alpha.value)
    for figure in (one.token_f1, one.marked_alpha):
        if figure.interval is not None and figure.value is not None:
            assert figure.interval.low <= figure.interval.high


def test_a_token_with_several_marks_of_one_person_has_the_set_of_their_categories() -> None:
    # ann: {A,B} {A} - -, bob: {A} {A} - -. Of 8 values one is {A,B}, three are {A}, four are empty.
    # Differences: {A,B} and {A} share 1 of 2 labels, so 1/2; anything and nothing 1.
    # Do = 2 * 1/2 / 8 = 1/8. De = 2 * (1*3/2 + 1*4 + 3*4) / (8*7) = 35/56. alpha = 1 - (1/8) / (35/56) = 0.8.
    result = measure(seen("t", 4, ann="0-2 A, 0-1 B", bob="0-1 A, 1-2 A"))
    assert result.token_alpha.value == pytest.approx(0.8)
    assert result.marked_alpha.value == pytest.approx(1)
    assert result.token_f1.value == pytest.approx(1)
    assert result.gamma.figure.value is not None


def test_the_order_in_which_someone_marked_the_same_words_does_not_matter() -> None:
    texts = [
        seen("t", 9, ann="0-3 A, 0-3 B, 5-6 A", bob="0-3 B, 5-6 A, 0-3 A"),
        seen("u", 9, ann="1-4 A, 2-3 B", bob="2-3 B, 1-4 A"),
    ]
    result = measure(*texts)
    for figure in (result.token_alpha, result.token_f1, result.category_percent, result.gamma.figure):
        assert figure.value == pytest.approx(1)
        assert figure.interval is not None


def test_nested_marks_are_matched_with_what_they_cover_best() -> None:
    # From left to right 0-9 would meet 0-2 and leave 0-9 of the other to 4-6. Shares: 0-9 with 0-9 1, 4-6 with 4-6 1.
    first = [(Span(0, 9), "A"), (Span(4, 6), "B")]
    second = [(Span(0, 2), "C"), (Span(0, 9), "A"), (Span(4, 6), "B")]
    assert matched_labels(first, second) == [("A", "A"), ("B", "B")]
    # Categories do not pull spans together: 0-4 is nearer to 0-3, whatever both are called.
    assert matched_labels([(Span(0, 4), "A"), (Span(1, 2), "B")], [(Span(0, 3), "C"), (Span(3, 5), "A")]) == [
        ("A", "C")
    ]
