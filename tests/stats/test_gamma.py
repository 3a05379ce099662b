"""Gamma: against another implementation, against exhaustive search, and its invariances."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goldmark.stats.agreement_measures import alignment
from goldmark.stats.agreement_measures.alignment import (
    AnnotatorMarks,
    MarkedText,
    TooManyAlignments,
    disorders,
    possible_groups,
)
from goldmark.stats.agreement_measures.gamma import gamma, shuffle
from tests.examples import one_in

Spans = list[tuple[int, int, int]]


def text_of(length: int, annotators: list[Spans]) -> MarkedText:
    return MarkedText(length, tuple(AnnotatorMarks.of(spans) for spans in annotators))


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


# Observed disorder, expected disorder and gamma by pygamma-agreement 0.5.9 (CombinedCategoricalDissimilarity with
# alpha = beta = delta_empty = 1, ShuffleContinuumSampler, 500 samples, bounds 0 and the length of the text).
ORACLE = {
    "two": (40, [[(0, 2, 0), (5, 8, 1), (20, 22, 0)], [(0, 3, 0), (6, 8, 0), (30, 33, 1)]], 1.026667, 1.5904, 0.3544),
    "three": (
        60,
        [
            [(0, 2, 0), (5, 8, 1), (20, 22, 0), (40, 41, 2)],
            [(0, 3, 0), (6, 8, 0), (30, 33, 1), (41, 42, 2)],
            [(1, 2, 0), (5, 7, 1), (21, 23, 2)],
        ],
        1.089192,
        2.2777,
        0.5218,
    ),
    "four": (
        80,
        [
            [(0, 2, 0), (5, 8, 1), (20, 22, 0), (40, 41, 2), (60, 66, 1)],
            [(0, 3, 0), (6, 8, 0), (30, 33, 1), (41, 42, 2), (61, 64, 1)],
            [(1, 2, 0), (5, 7, 1), (21, 23, 2), (60, 62, 1), (63, 66, 1)],
            [(5, 8, 1), (40, 42, 2)],
        ],
        1.292157,
        2.5645,
        0.4961,
    ),
}


@pytest.mark.parametrize("name", ORACLE)
def test_another_implementations_values(name: str) -> None:
    length, spans, observed, expected, value = ORACLE[name]
    result = gamma([text_of(length, spans)], rng=rng(), samples=200)
    assert result.observed == pytest.approx(observed, abs=1e-5)
    # Both expected disorders are means of random samples; each is known to about 1 %.
    assert result.expected == pytest.approx(expected, rel=0.04)
    assert result.figure.value == pytest.approx(value, abs=0.025)


@st.composite
def marked(draw: st.DrawFn, annotators: int = 3, most: int = 3) -> list[Spans]:
    def spans() -> Spans:
        chosen = []
        for _ in range(draw(st.integers(0, most))):
            start = draw(st.integers(0, 18))
            chosen.append((start, start + draw(st.integers(1, 4)), draw(st.integers(0, 2))))
        return chosen

    return [spans() for _ in range(draw(st.integers(2, annotators)))]


def dissimilarities(text: MarkedText) -> np.ndarray:
    """Of every two spans: how far their ends are apart over the sum of lengths, squared, plus 1 if labels differ."""
    spans = [
        (int(start), int(end), int(label))
        for marks in text.annotators
        for start, end, label in zip(marks.starts, marks.ends, marks.labels, strict=True)
    ]
    return np.array(
        [
            [((abs(a - c) + abs(b - d)) / (b - a + d - c)) ** 2 + (one != other) for c, d, other in spans]
            for a, b, one in spans
        ]
    )


def exhaustive(text: MarkedText) -> float:
    """The least disorder over every alignment there is, by trying them all."""
    apart = dissimilarities(text)
    number = len(text.annotators)
    pairs = number * (number - 1) / 2
    first, owned = 0, []
    for marks in text.annotators:
        owned.append([-1, *range(first, first + len(marks))])
        first += len(marks)
    groups = []
    for row in product(*owned):
        members = [place for place in row if place >= 0]
        inside = sum(apart[a, b] for i, a in enumerate(members) for b in members[i + 1 :])
        empty = pairs - len(members) * (len(members) - 1) / 2
        if members:
            groups.append((frozenset(members), (inside + empty) / pairs))

    def best(left: frozenset[int]) -> float:
        if not left:
            return 0.0
        one = min(left)
        return min(float(cost) + best(left - group) for group, cost in groups if one in group and group <= left)

    return best(frozenset(range(first)))


@pytest.mark.parametrize("searched", [0, 10])
def test_the_best_alignment_is_the_best_of_all(searched: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both by search and, where clusters are large, by the integer programme."""
    monkeypatch.setattr(alignment, "SEARCHED", searched)

    @given(marked())
    def check(spans: list[Spans]) -> None:
        text = text_of(25, spans)
        assert disorders([text])[0] == pytest.approx(exhaustive(text), abs=1e-6)

    check()


@settings(max_examples=one_in(2))
@given(marked(annotators=4, most=2))
def test_groups_that_are_left_out_are_never_needed(spans: list[Spans]) -> None:
    text = text_of(25, spans)
    assert disorders([text])[0] == pytest.approx(exhaustive(text), abs=1e-6)
    rows, cost, _ = next(possible_groups([text]), (np.zeros((0, 1), dtype=int), np.zeros(0), None))
    alone = (rows >= 0).sum(axis=1) == 1
    assert alone.sum() == sum(map(len, spans))
    assert cost[alone] == pytest.approx(1)  # a span that stands alone costs what an empty place costs


@given(marked(), marked(), st.integers(0, 7), st.permutations([0, 1, 2]))
def test_disorder_ignores_who_is_who_names_of_categories_place_and_other_texts(
    spans: list[Spans], others: list[Spans], shift: int, names: list[int]
) -> None:
    changed = [[(a + shift, b + shift, names[label]) for a, b, label in reversed(own)] for own in reversed(spans)]
    before = disorders([text_of(25, spans)])[0]
    after = disorders([text_of(40, others), text_of(40, changed)])[1]
    assert after == pytest.approx(before, abs=1e-6)


def test_full_agreement_is_one() -> None:
    same: Spans = [(0, 2, 0), (5, 8, 1), (20, 22, 0)]
    result = gamma([text_of(30, [same, same, same]), text_of(30, [same, same])], rng=rng())
    assert result.figure.value == pytest.approx(1)
    assert result.figure.interval is not None
    # Two texts on which everybody agreed are no proof that everybody always would.
    assert result.figure.interval.high == 1
    assert result.figure.interval.low < 0.5


def test_random_marks_are_near_zero() -> None:
    luck = rng(3)

    def spans() -> Spans:
        starts = luck.choice(np.arange(0, 100, 3), size=8, replace=False)
        return [(int(start), int(start) + 2, int(luck.integers(3))) for start in starts]

    result = gamma([text_of(102, [spans(), spans()]) for _ in range(20)], rng=rng())
    assert result.figure.value == pytest.approx(0, abs=0.06)


def test_someone_who_marks_nothing_counts() -> None:
    one: Spans = [(0, 2, 0), (10, 12, 1)]
    # Two annotators, one silent: each span alone costs 1, two spans over a mean of one mark: disorder 2.
    assert gamma([text_of(30, [one, []])], rng=rng()).observed == pytest.approx(2)


@pytest.mark.parametrize(
    ("texts", "reason"),
    [
        ([], "no text was seen by two annotators"),
        ([text_of(9, [[(0, 1, 0)]])], "no text was seen by two annotators"),
        ([text_of(9, [[], []])], "nobody marked anything"),
    ],
)
def test_what_cannot_be_computed_is_explained(texts: list[MarkedText], reason: str) -> None:
    figure = gamma(texts, rng=rng()).figure
    assert figure.value is None
    assert figure.reason == reason


def test_more_samples_are_drawn_until_the_expected_disorder_is_known() -> None:
    length, spans, *_ = ORACLE["two"]
    assert gamma([text_of(length, spans)], rng=rng(), samples=10, precision=0.02).samples > 10
    assert gamma([text_of(length, spans)], rng=rng(), samples=10, precision=0.9).samples == 10


def test_shuffling_keeps_spans_whole_and_inside_reach() -> None:
    text = text_of(20, [[(0, 3, 1), (17, 20, 0)], [(5, 6, 2)]])
    for seed in range(30):
        shuffled = shuffle(text, rng(seed))
        assert len(shuffled.annotators) == 2
        for marks in shuffled.annotators:
            assert (marks.starts >= 0).all()
            assert (marks.starts < 20).all()
            assert set((marks.ends - marks.starts).tolist()) <= {3, 1}


def test_too_many_alignments_are_refused_instead_of_computed_for_hours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alignment, "MOST_GROUPS", 10)
    with pytest.raises(TooManyAlignments, match="3 annotators with 11 spans"):
        list(possible_groups([text_of(60, ORACLE["three"][1])]))
    figure = gamma([text_of(60, ORACLE["three"][1])], rng=rng()).figure
    assert figure.value is None
    assert "too many ways" in figure.reason


def test_marks_that_would_fill_the_memory_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of three people with a thousand marks each, thousands of millions of groups would be looked at."""
    monkeypatch.setattr(alignment, "MOST_LOOKED_AT", 10)
    with pytest.raises(TooManyAlignments, match="3 annotators with 11 spans"):
        list(possible_groups([text_of(60, ORACLE["three"][1])]))


def test_texts_are_aligned_some_at_a_time_however_many_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [text_of(60, spans) for _, spans, *_ in ORACLE.values()] * 3
    texts = [text_of(9, [[], []]), *texts, text_of(9, [[(1, 2, 0)], []]), text_of(9, [[], []])]
    together = disorders(texts)
    monkeypatch.setattr(alignment, "AT_ONCE", 20)
    assert len(list(possible_groups(texts))) > 3
    assert disorders(texts) == pytest.approx(together, abs=1e-6)
    assert disorders(texts[:1]) == [0]


def test_what_takes_longer_than_somebody_waits_has_a_reason() -> None:
    """Sixty long marks of three people in one text would be aligned for hours."""
    figure = gamma([text_of(60, ORACLE["three"][1])], rng=rng(), patience=0).figure
    assert figure.value is None
    assert figure.reason == "the best alignment was not found: it takes more than 0 seconds"
    assert gamma([text_of(60, ORACLE["three"][1])], rng=rng(), patience=600).figure.value is not None
