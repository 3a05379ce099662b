"""Agreement on marked spans: token by token, pair by pair, and on the categories of spans that both marked.

One person's spans may overlap, where a protocol lets them: a token then has a set of categories.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

import numpy as np

from goldmark.records.figures import Figure, Interval, Undefined
from goldmark.records.spans import Span
from goldmark.stats.agreement_measures.alignment import AnnotatorMarks, MarkedText
from goldmark.stats.agreement_measures.alpha import Compared, UnitLabels, Whole, krippendorff
from goldmark.stats.agreement_measures.gamma import Gamma, gamma
from goldmark.stats.agreement_measures.span_matching import best_pairs, overlap_themselves, overlapping_pairs
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
    seen, table = _pair_table(shared)
    pairs, wide = list(seen), len(NOTHING)
    sums = None
    if len(shared) >= 2 and pairs:
        drawn = resampled_weights(len(shared), resamples=resamples, rng=rng)
        sums = np.concatenate([weights @ table for weights in drawn]).reshape(-1, len(pairs), wide)
    totals = np.asarray(table.sum(axis=0)).reshape(len(pairs), wide)
    tokens = _tokens(shared)
    return SpanAgreement(
        token_alpha=_token_alpha(tokens, len(shared), len(texts), rng=rng, resamples=resamples),
        marked_alpha=_token_alpha(tokens.marked(), len(shared), len(texts), rng=rng, resamples=resamples),
        token_f1=_mean_f1(totals, sums, len(shared)),
        category_percent=_category_percent(totals, sums, len(shared)),
        category_alpha=_category_alpha(shared, rng=rng, resamples=resamples),
        gamma=_gamma(texts, no_gamma, rng=rng, resamples=resamples),
        pairs=tuple(_span_pair(pair, total, seen[pair]) for pair, total in zip(pairs, totals, strict=True)),
    )


def span_pairs(texts: Sequence[SeenText]) -> tuple[SpanPair, ...]:
    """Every two annotators who saw a text in common, without anything else."""
    seen, table = _pair_table(texts)
    totals = np.asarray(table.sum(axis=0)).reshape(len(seen), len(NOTHING))
    return tuple(_span_pair(pair, total, seen[pair]) for pair, total in zip(seen, totals, strict=True))


def _pair_table(texts: Sequence[SeenText]) -> tuple[dict[tuple[str, str], int], csr_array]:
    """Every two people with the number of texts that both saw; and of each text what they have in common.

    A table texts x (pairs x what is counted), of which only what is there is held: few people see the same text.
    """
    from scipy.sparse import csr_array

    seen: Counter[tuple[str, str]] = Counter()
    row: list[int] = []
    names: list[tuple[str, str]] = []
    counted: list[tuple[float, float, float, float]] = []
    for place, text in enumerate(texts):
        for pair, counts in _pair_counts(text).items():
            seen[pair] += 1
            row.append(place)
            names.append(pair)
            counted.append(counts)
    ordered = {pair: seen[pair] for pair in sorted(seen)}
    column = {pair: place * len(NOTHING) for place, pair in enumerate(ordered)}
    starts = np.array([column[pair] for pair in names], dtype=np.int64)
    places = (starts[:, None] + np.arange(len(NOTHING))).ravel()
    values = np.array(counted, dtype=np.float64).ravel()
    shape = (len(texts), len(ordered) * len(NOTHING))
    return ordered, csr_array((values, (np.repeat(row, len(NOTHING)), places)), shape=shape)


def _gamma(texts: Sequence[SeenText], without: str, *, rng: np.random.Generator, resamples: int) -> Gamma:
    if without:
        return Gamma(Figure(None, reason=without, used=0))
    codes = _codes(texts)
    return gamma([marked_text(text, codes) for text in texts], rng=rng, resamples=resamples)


NOTHING = (0.0, 0.0, 0.0, 0.0)  # tokens both marked, tokens of one plus tokens of the other, matched, same category


def _pair_counts(text: SeenText) -> dict[tuple[str, str], tuple[float, float, float, float]]:
    tokens = {name: {place for span, _ in marks for place in span.positions()} for name, marks in text.marks.items()}
    found = {}
    for first, second in combinations(sorted(text.marks), 2):
        matched = matched_labels(text.marks[first], text.marks[second])
        both, either = token_overlap(tokens[first], tokens[second])
        same = sum(one == other for one, other in matched)
        found[first, second] = (float(both), float(either), float(len(matched)), float(same))
    return found


def matched_labels(first: Sequence[Mark], second: Sequence[Mark]) -> list[tuple[str, str]]:
    """The categories that two people gave to spans of theirs that overlap.

    Spans are paired from left to right. Where one of the two has marked a word twice, "first from the left" says
    nothing, and pairs are those that cover each other best.
    """
    one, other = [span for span, _ in first], [span for span, _ in second]
    if any(map(overlap_themselves, (one, other))):
        same = [[label == theirs for _, theirs in second] for _, label in first]
        places = best_pairs(one, other, same)
    else:
        places = overlapping_pairs(one, other)
    return [(first[own][1], second[theirs][1]) for own, theirs in places]


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
                    said = sets[tokens[position]] | {label}
                    tokens[position] = known.setdefault(said, len(sets))
                    sets += [said] * (len(known) - len(sets))
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


def _mean_f1(totals: Floats, sums: Floats | None, texts: int) -> Figure:
    if not len(totals):
        return Figure(None, reason="no text was seen by two annotators", used=0, skipped=0)
    defined = totals[:, 1] > 0
    if not defined.any():
        return Figure(None, reason="nobody marked anything", used=0, skipped=len(totals))
    value = float(np.mean(totals[defined, 0] / totals[defined, 1]))
    used, skipped = int(defined.sum()), int((~defined).sum())
    if sums is None:
        return Figure(value, reason=f"no interval: {too_few(texts).reason}", used=used, skipped=skipped)
    each = ratio(sums[:, defined, 0], sums[:, defined, 1])
    known = ~np.isnan(each)
    mean = ratio(np.where(known, each, 0.0).sum(axis=1), known.sum(axis=1).astype(np.float64))
    return _with_interval(value, percentile_interval(mean), used, skipped)


def _category_percent(totals: Floats, sums: Floats | None, texts: int) -> Figure:
    matched, same = (totals[:, 2].sum(), totals[:, 3].sum()) if len(totals) else (0, 0)
    if not matched:
        return Figure(None, reason="no two annotators marked overlapping spans", used=0)
    if sums is None:
        return Figure(float(same / matched), reason=f"no interval: {too_few(texts).reason}", used=int(matched))
    interval = percentile_interval(ratio(sums[:, :, 3].sum(axis=1), sums[:, :, 2].sum(axis=1)))
    return _with_interval(float(same / matched), interval, int(matched), None)


def _category_alpha(shared: Sequence[SeenText], *, rng: np.random.Generator, resamples: int) -> Figure:
    """Alpha with each pair of matched spans as one unit with two labels."""
    units: list[int] = []
    values: list[str] = []
    groups: list[int] = []
    for number, text in enumerate(shared):
        for first, second in combinations(text.marks.values(), 2):
            for pair in matched_labels(first, second):
                units += [len(groups)] * 2
                values += pair
                groups.append(number)
    if not units:
        return Figure(None, reason="no two annotators marked overlapping spans", used=0)
    labels = UnitLabels.of(units, [0, 1] * len(groups), values)
    return krippendorff(labels, rng=rng, resamples=resamples, groups=np.array(groups, dtype=np.int64))


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
