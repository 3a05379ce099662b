"""Marks as columns say what one reading after the other would say."""

from __future__ import annotations

import tracemalloc
from itertools import combinations

import numpy as np
import pytest

from goldmark.records.spans import Span
from goldmark.records.tidy.coded import Coded
from goldmark.stats.agreement_measures import mark_columns
from goldmark.stats.agreement_measures.mark_columns import Mark, MarkColumns, SeenText
from goldmark.stats.agreement_measures.span_matching import from_left, overlap_themselves, overlapping_pairs
from goldmark.stats.agreement_measures.spans import SpanAgreement, span_agreement


def texts(rng: np.random.Generator, *, twice: bool) -> list[SeenText]:
    """Some texts that one to four people read; with `twice`, some mark a token more than once."""

    def marks() -> list[Mark]:
        found: list[Mark] = []
        for _ in range(rng.integers(5)):
            start = int(rng.integers(18))
            span = Span(start, start + int(rng.integers(1, 5)))
            if twice or not any(span.overlaps(other) for other, _ in found):
                found.append((span, "AB"[rng.integers(2)]))
        return found

    people = ("dora", "ann", "carl", "bob")
    return [SeenText(f"t{number}", 22, {name: marks() for name in people[: 1 + number % 4]}) for number in range(40)]


@pytest.mark.parametrize("twice", [False, True])
def test_columns_say_what_sets_and_lists_say(twice: bool) -> None:
    seen = texts(np.random.default_rng(5), twice=twice)
    columns = MarkColumns.of(seen)
    shared = columns.shared()
    assert [one.id for one in shared.seen()] == sorted(one.id for one in seen if len(one.marks) > 1)
    read = [(text, name, marks) for text in shared.seen() for name, marks in text.marks.items()]
    known = {text.id: text for text in seen}
    assert all(list(known[text.id].marks[name]) == list(marks) for text, name, marks in read)

    first, second = shared.pairs
    wanted = [pair for pair in combinations(range(len(read)), 2) if read[pair[0]][0].id == read[pair[1]][0].id]
    assert list(zip(first.tolist(), second.tolist(), strict=True)) == wanted

    tokens = [{place for span, _ in marks for place in span.positions()} for _, _, marks in read]
    assert shared.tokens.tolist() == [len(own) for own in tokens]
    assert shared.shared_tokens().tolist() == [len(tokens[one] & tokens[two]) for one, two in wanted]

    pair, mine, theirs = shared.matched()
    for place, (one, two) in enumerate(wanted):
        lists = [[span for span, _ in read[which][2]] for which in (one, two)]
        if any(overlap_themselves(from_left(spans)) for spans in lists):
            assert place not in pair
            continue
        naive = [(lists[0][left], lists[1][right]) for left, right in overlapping_pairs(*lists)]
        own = pair == place
        met = zip(shared.spans(mine[own].tolist()), shared.spans(theirs[own].tolist()), strict=True)
        assert list(met) == naive


@pytest.mark.parametrize("twice", [False, True])
def test_some_texts_at_a_time_give_the_same_figures_to_the_last_digit(
    monkeypatch: pytest.MonkeyPatch, twice: bool
) -> None:
    seen = texts(np.random.default_rng(6), twice=twice)

    def figures() -> SpanAgreement:
        return span_agreement(MarkColumns.of(seen), rng=np.random.default_rng(1), no_gamma="not now")

    at_once = figures()
    for some in (1, 7, 60):
        monkeypatch.setattr(mark_columns, "AT_ONCE", some)
        assert len(list(MarkColumns.of(seen).parts())) > 1
        assert figures() == at_once


def test_what_is_held_at_once_does_not_grow_with_the_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of twice the texts, agreement needs little more than their marks; before, 4.5 kB for every text."""
    monkeypatch.setattr(mark_columns, "AT_ONCE", 500)
    rng = np.random.default_rng(2)
    length, most = 120, 4

    def peak(many: int) -> int:
        text, person = np.repeat(np.arange(many), 3 * most), np.tile(np.repeat(np.arange(3), most), many)
        places = rng.permuted(np.tile(np.arange(length // 4), (3 * many, 1)), axis=1)[:, :most]
        start = 4 * np.sort(places, axis=1).ravel()
        columns = MarkColumns.of_rows(
            Coded(text, [f"t{number}" for number in range(many)]),
            np.array([length]),
            Coded(person, ["ann", "bob", "carl"]),
            np.ones(len(text), dtype=np.bool_),
            start,
            start + 2,
            Coded(rng.integers(0, 5, len(text)), list("ABCDE")),
        )
        tracemalloc.start()
        span_agreement(columns, rng=np.random.default_rng(1), no_gamma="not now")
        held = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return held

    peak(100)  # whatever is made once
    assert (peak(1_500) - peak(500)) / 1_000 < 2_000


def test_nothing_at_all() -> None:
    columns = MarkColumns.of([])
    assert not columns.texts
    assert not len(columns.pairs[0])
    assert not len(columns.matched()[0])
