"""Agreement on marked spans: token by token, pair by pair, and on the categories of spans that both marked.

One person's spans may overlap, where a protocol lets them: a token then has a set of categories.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from goldmark.records.figures import Figure, Interval, Undefined
from goldmark.records.spans import Span
from goldmark.stats.agreement_measures.alignment import AnnotatorMarks, MarkedText
from goldmark.stats.agreement_measures.alpha import Compared, UnitLabels, Whole, krippendorff
from goldmark.stats.agreement_measures.gamma import Gamma, gamma
from goldmark.stats.agreement_measures.span_matching import (
    Placed,
    best_pairs,
    from_left,
    overlap_themselves,
    overlapping,
)
from goldmark.stats.inference.bootstrap import Floats, percentile_interval, ratio, resampled_weights, too_few
from goldmark.stats.token_overlap import token_overlap

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Mark = tuple[Span, str]  # where, and which category


@dataclass(frozen=True)
class SeenText:
    """A text of `length` tokens and what everyone who saw it marked, by annotator; an empty list is an answer too."""

    id: str
    length: int
    marks: Mapping[str, Sequence[Mark]]


@dataclass(frozen=True)
class SpanPair:
    """Two annotators on the texts both saw."""

    first: str
    second: str
    f1: Figure  # `used` counts texts
    matched: int
    same_category: Figure  # `used` counts matched spans


@dataclass(frozen=True)
class SpanAgreement:
    token_alpha: Figure  # of the category of each token, "not marked" being one
    marked_alpha: Figure  # of whether a token is marked at all
    token_f1: Figure  # mean of pairs; `used` and `skipped` count pairs
    category_percent: Figure  # on matched spans; `used` counts them
    category_alpha: Figure
    gamma: Gamma
    pairs: tuple[SpanPair, ...]


def span_agreement(
    texts: Sequence[SeenText], *, rng: np.random.Generator, resamples: int = 1000, no_gamma: str = ""
) -> SpanAgreement:
    """All measures of span agreement; intervals resample texts, for the tokens of a text are not independent.

    `no_gamma` is a reason to leave gamma out, which takes by far the longest; no other figure depends on it. Texts and
    people are taken in the order of their names, so that the order of a file changes no digit.
    """
    texts = [
        SeenText(text.id, text.length, dict(sorted(text.marks.items())))
        for text in sorted(texts, key=lambda text: text.id)
    ]
    shared = [text for text in texts if len(text.marks) >= 2]
    met = _Met.of(shared)
    totals = met.totals()
    marked = totals[:, 1] > 0
    f1, same = None, None
    if len(shared) >= 2 and len(totals):
        drawn = resampled_weights(len(shared), resamples=resamples, rng=rng)
        # Many pairs of people make wide tables: of each chunk only the figures are kept.
        figures = [_of_sums((weights @ met.table).reshape(-1, *totals.shape), marked) for weights in drawn]
        f1, same = (np.concatenate(side) for side in zip(*figures, strict=True))
    tokens = _tokens(shared)
    return SpanAgreement(
        token_alpha=_token_alpha(tokens, len(shared), len(texts), rng=rng, resamples=resamples),
        marked_alpha=_token_alpha(tokens.marked(), len(shared), len(texts), rng=rng, resamples=resamples),
        token_f1=_mean_f1(totals, f1, len(shared)),
        category_percent=_category_percent(totals, same, len(shared)),
        category_alpha=_category_alpha(met, rng=rng, resamples=resamples),
        gamma=_gamma(texts, no_gamma, rng=rng, resamples=resamples),
        pairs=met.pairs(),
    )


def span_pairs(texts: Sequence[SeenText]) -> tuple[SpanPair, ...]:
    """Every two annotators who saw a text in common, without anything else."""
    return _Met.of(texts).pairs()


@dataclass(frozen=True)
class _Met:
    """What every two people have in common."""

    seen: Mapping[tuple[str, str], int]  # by two people, the texts that both saw
    table: csr_array  # texts x (pairs x what is counted), of which only what is there is held
    labels: Sequence[str]  # two for every pair of matched spans
    text: Sequence[int]  # of every pair of matched spans, in which text it is

    @classmethod
    def of(cls, texts: Sequence[SeenText]) -> _Met:
        from scipy.sparse import csr_array

        seen: Counter[tuple[str, str]] = Counter()
        row: list[int] = []
        names: list[tuple[str, str]] = []
        counted: list[Counts] = []
        labels: list[str] = []
        matched_in: list[int] = []
        for place, text in enumerate(texts):
            for pair, counts, matched in _pairs_of(text):
                seen[pair] += 1
                row.append(place)
                names.append(pair)
                counted.append(counts)
                labels += (label for both in matched for label in both)
                matched_in += [place] * len(matched)
        ordered = {pair: seen[pair] for pair in sorted(seen)}
        column = {pair: place * WIDE for place, pair in enumerate(ordered)}
        starts = np.array([column[pair] for pair in names], dtype=np.int64)
        places = (starts[:, None] + np.arange(WIDE)).ravel()
        values = np.array(counted, dtype=np.float64).ravel()
        table = csr_array((values, (np.repeat(row, WIDE), places)), shape=(len(texts), len(ordered) * WIDE))
        return cls(ordered, table, labels, matched_in)

    def totals(self) -> Floats:
        """What every two people have in common in all texts: pairs x what is counted."""
        return np.asarray(self.table.sum(axis=0)).reshape(len(self.seen), WIDE)

    def pairs(self) -> tuple[SpanPair, ...]:
        totals = zip(self.seen.items(), self.totals(), strict=True)
        return tuple(_span_pair(pair, total, texts) for (pair, texts), total in totals)


def _gamma(texts: Sequence[SeenText], without: str, *, rng: np.random.Generator, resamples: int) -> Gamma:
    if without:
        return Gamma(Figure(None, reason=without, used=0))
    codes = _codes(texts)
    return gamma([marked_text(text, codes) for text in texts], rng=rng, resamples=resamples)


# Tokens that both marked, tokens of one plus tokens of the other, matched spans, those of the same category.
Counts = tuple[float, float, float, float]
WIDE = 4


def _pairs_of(text: SeenText) -> Iterator[tuple[tuple[str, str], Counts, list[tuple[str, str]]]]:
    """Every two people who saw a text, with what they have in common and the categories of the spans that match."""
    read = [(name, _Marked.of(marks)) for name, marks in sorted(text.marks.items())]
    for (first, one), (second, other) in combinations(read, 2):
        matched = one.matched(other)
        shared = token_overlap(one.tokens, other.tokens)
        counts = (
            float(shared.both),
            float(shared.either),
            float(len(matched)),
            float(sum(mine == theirs for mine, theirs in matched)),
        )
        yield (first, second), counts, matched


class _Marked(NamedTuple):
    """What one person marked in one text, made ready to be compared with what others marked."""

    marks: Sequence[Mark]
    tokens: set[int]
    placed: list[Placed]
    twice: bool  # whether any word is marked twice

    @classmethod
    def of(cls, marks: Sequence[Mark]) -> _Marked:
        placed = from_left([span for span, _ in marks])
        tokens = {place for start, end, _ in placed for place in range(start, end)}
        return cls(marks, tokens, placed, overlap_themselves(placed))

    def matched(self, other: _Marked) -> list[tuple[str, str]]:
        if self.twice or other.twice:
            mine, theirs = ([span for span, _ in one.marks] for one in (self, other))
            same = [[label == their_label for _, their_label in other.marks] for _, label in self.marks]
            places = best_pairs(mine, theirs, same)
        else:
            places = overlapping(self.placed, other.placed)
        return [(self.marks[own][1], other.marks[their][1]) for own, their in places]


def matched_labels(first: Sequence[Mark], second: Sequence[Mark]) -> list[tuple[str, str]]:
    """The categories that two people gave to spans of theirs that overlap.

    Spans are paired from left to right. Where one of the two has marked a word twice, "first from the left" says
    nothing, and pairs are those that cover each other best.
    """
    return _Marked.of(first).matched(_Marked.of(second))


def marked_text(text: SeenText, codes: Mapping[str, int]) -> MarkedText:
    """A text as the measure gamma wants it."""
    everyone = (
        AnnotatorMarks.of([(span.start, span.end, codes[label]) for span, label in marks])
        for marks in text.marks.values()
    )
    return MarkedText(text.length, tuple(everyone))


def _codes(texts: Sequence[SeenText]) -> dict[str, int]:
    labels = sorted({label for text in texts for marks in text.marks.values() for _, label in marks})
    return {label: code for code, label in enumerate(labels, start=1)}


@dataclass(frozen=True)
class _Tokens:
    """What everybody said of every token; tokens in a row of which everybody says the same are one unit."""

    unit: Whole
    annotator: Whole
    said: Whole  # places among `sets`
    sets: Sequence[frozenset[str]]  # what one person may say of a token: nothing first, then sets of categories
    names: Sequence[str]
    group: Whole  # of each unit, its text
    repeats: Floats  # of each unit, how many tokens it is

    def marked(self) -> _Tokens:
        """The same with only whether a token is marked."""
        return replace(self, said=(self.said > 0).astype(np.int64), sets=[frozenset(), frozenset({"marked"})])


def _tokens(shared: Sequence[SeenText]) -> _Tokens:
    sets: list[frozenset[str]] = [frozenset()]
    known = {sets[0]: 0}

    @cache
    def with_label(code: int, label: str) -> int:
        """The place of a set that has one label more."""
        said = sets[code] | {label}
        place = known.setdefault(said, len(sets))
        sets.extend([said] * (len(known) - len(sets)))
        return place

    names = {name: code for code, name in enumerate(sorted({name for text in shared for name in text.marks}))}
    units, annotators, values, groups, repeats = (array("q") for _ in range(5))
    before = 0
    for number, text in enumerate(shared):
        # Between two places where anybody's mark begins or ends, all tokens are alike.
        spans = [span for marks in text.marks.values() for span, _ in marks]
        edges = sorted({0, text.length, *(span.start for span in spans), *(span.end for span in spans)})
        place = {edge: position for position, edge in enumerate(edges)}
        length = len(edges) - 1
        groups.extend([number] * length)
        repeats.extend(end - start for start, end in pairwise(edges))
        for name, marks in text.marks.items():
            tokens = [0] * length
            for span, label in marks:
                for position in range(place[span.start], place[span.end]):
                    tokens[position] = with_label(tokens[position], label)
            units.extend(range(before, before + length))
            annotators.extend([names[name]] * length)
            values.extend(tokens)
        before += length

    def joined(numbers: array[int]) -> Whole:
        return np.frombuffer(numbers, dtype=np.int64) if numbers else np.zeros(0, dtype=np.int64)

    return _Tokens(
        joined(units),
        joined(annotators),
        joined(values),
        sets,
        list(names),
        joined(groups),
        joined(repeats).astype(np.float64),
    )


def _token_alpha(tokens: _Tokens, shared: int, texts: int, *, rng: np.random.Generator, resamples: int) -> Figure:
    if not shared:
        return Figure(None, reason="no text was seen by two annotators", used=0, skipped=texts)
    labels = UnitLabels.coded(
        (tokens.unit, range(len(tokens.group))), (tokens.annotator, tokens.names), (tokens.said, tokens.sets)
    )
    level: Compared = "sets" if any(len(one) > 1 for one in tokens.sets) else "nominal"
    figure = krippendorff(labels, level, rng=rng, resamples=resamples, groups=tokens.group, repeats=tokens.repeats)
    reason = "nobody marked anything, or everything is marked alike" if figure.value is None else figure.reason
    return Figure(figure.value, figure.interval, reason, used=shared, skipped=texts - shared)


def _of_sums(sums: Floats, marked: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """Of each resample the mean F1 of pairs who marked anything, and the share of matched spans with equal labels."""
    each = ratio(sums[:, marked, 0], sums[:, marked, 1])
    known = ~np.isnan(each)
    mean = ratio(np.where(known, each, 0.0).sum(axis=1), known.sum(axis=1).astype(np.float64))
    return mean, ratio(sums[:, :, 3].sum(axis=1), sums[:, :, 2].sum(axis=1))


def _mean_f1(totals: Floats, drawn: Floats | None, texts: int) -> Figure:
    if not len(totals):
        return Figure(None, reason="no text was seen by two annotators", used=0, skipped=0)
    defined = totals[:, 1] > 0
    if not defined.any():
        return Figure(None, reason="nobody marked anything", used=0, skipped=len(totals))
    value = float(np.mean(totals[defined, 0] / totals[defined, 1]))
    used, skipped = int(defined.sum()), int((~defined).sum())
    if drawn is None:
        return Figure(value, reason=f"no interval: {too_few(texts).reason}", used=used, skipped=skipped)
    return _with_interval(value, percentile_interval(drawn), used, skipped)


def _category_percent(totals: Floats, drawn: Floats | None, texts: int) -> Figure:
    matched, same = (totals[:, 2].sum(), totals[:, 3].sum()) if len(totals) else (0, 0)
    if not matched:
        return Figure(None, reason="no two annotators marked overlapping spans", used=0)
    if drawn is None:
        return Figure(float(same / matched), reason=f"no interval: {too_few(texts).reason}", used=int(matched))
    return _with_interval(float(same / matched), percentile_interval(drawn), int(matched), None)


def _category_alpha(met: _Met, *, rng: np.random.Generator, resamples: int) -> Figure:
    """Alpha with each pair of matched spans as one unit with two labels."""
    if not met.text:
        return Figure(None, reason="no two annotators marked overlapping spans", used=0)
    units = np.arange(len(met.text))
    labels = UnitLabels.of(np.repeat(units, 2), np.tile([0, 1], len(units)), met.labels)
    return krippendorff(labels, rng=rng, resamples=resamples, groups=np.array(met.text, dtype=np.int64))


def _span_pair(pair: tuple[str, str], total: Floats, texts: int) -> SpanPair:
    both, all_tokens, matched, same = (float(value) for value in total)
    f1 = (
        Figure(both / all_tokens, used=texts)
        if all_tokens
        else Figure(None, reason="neither marked anything", used=texts)
    )
    category = (
        Figure(same / matched, used=int(matched)) if matched else Figure(None, reason="no overlapping spans", used=0)
    )
    return SpanPair(pair[0], pair[1], f1, int(matched), category)


def _with_interval(value: float, interval: Interval | Undefined, used: int, skipped: int | None) -> Figure:
    if isinstance(interval, Undefined):
        return Figure(value, reason=f"no interval: {interval.reason}", used=used, skipped=skipped)
    return Figure(value, interval, used=used, skipped=skipped)
