"""Agreement on marked spans: token by token, pair by pair, and on the categories of spans that both marked.

One person's spans may overlap, where a protocol lets them: a token then has a set of categories.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from goldmark.records.figures import Figure, Interval, Undefined
from goldmark.records.spans import Span
from goldmark.stats.agreement import Compared, Labels, krippendorff
from goldmark.stats.alignment import MarkedText, Marks
from goldmark.stats.bootstrap import Floats, percentile_interval, ratio, resampled_sums, too_few
from goldmark.stats.gamma import Gamma, gamma
from goldmark.stats.span_matching import best_pairs, overlap_themselves, overlapping_pairs

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


def span_agreement(texts: Sequence[SeenText], *, rng: np.random.Generator, resamples: int = 1000) -> SpanAgreement:
    """All measures of span agreement; intervals resample texts, for the tokens of a text are not independent."""
    shared, pairs, table, both_saw = _counted(texts)
    totals = table.sum(axis=0).reshape(len(pairs), len(NOTHING)) if pairs else np.zeros((0, len(NOTHING)))
    sums = None
    if len(shared) >= 2 and pairs:
        sums = resampled_sums(table, resamples=resamples, rng=rng).reshape(-1, len(pairs), len(NOTHING))
    codes = _codes(texts)
    return SpanAgreement(
        token_alpha=_token_alpha(shared, len(texts), rng=rng, resamples=resamples, categories=True),
        marked_alpha=_token_alpha(shared, len(texts), rng=rng, resamples=resamples, categories=False),
        token_f1=_mean_f1(totals, sums, len(shared)),
        category_percent=_category_percent(totals, sums, len(shared)),
        category_alpha=_category_alpha(shared, rng=rng, resamples=resamples),
        gamma=gamma([marked_text(text, codes) for text in texts], rng=rng, resamples=resamples),
        pairs=_span_pairs(pairs, table, both_saw),
    )


def span_pairs(texts: Sequence[SeenText]) -> tuple[SpanPair, ...]:
    """Only every two annotators, which is quick."""
    _, pairs, table, both_saw = _counted(texts)
    return _span_pairs(pairs, table, both_saw)


def _counted(texts: Sequence[SeenText]) -> tuple[list[SeenText], list[tuple[str, str]], Floats, list[int]]:
    """The texts that two people saw, every two who share one, the counts of each text and pair, and texts of each."""
    shared = [text for text in texts if len(text.marks) >= 2]
    counts = [_pair_counts(text) for text in shared]
    both_saw = Counter(pair for text in counts for pair in text)
    pairs = sorted(both_saw)
    table = np.array([[value for pair in pairs for value in text.get(pair, NOTHING)] for text in counts])
    return shared, pairs, table, [both_saw[pair] for pair in pairs]


def _span_pairs(pairs: Sequence[tuple[str, str]], table: Floats, both_saw: Sequence[int]) -> tuple[SpanPair, ...]:
    totals = table.sum(axis=0).reshape(len(pairs), len(NOTHING)) if pairs else np.zeros((0, len(NOTHING)))
    return tuple(_span_pair(pair, total, seen) for pair, total, seen in zip(pairs, totals, both_saw, strict=True))


NOTHING = (0.0, 0.0, 0.0, 0.0)  # tokens both marked, tokens of one plus tokens of the other, matched, same category


def _pair_counts(text: SeenText) -> dict[tuple[str, str], tuple[float, float, float, float]]:
    tokens = {name: {place for span, _ in marks for place in span.positions()} for name, marks in text.marks.items()}
    found = {}
    for first, second in combinations(sorted(text.marks), 2):
        matched = matched_labels(text.marks[first], text.marks[second])
        found[first, second] = (
            2.0 * len(tokens[first] & tokens[second]),
            float(len(tokens[first]) + len(tokens[second])),
            float(len(matched)),
            float(sum(one == other for one, other in matched)),
        )
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
        Marks.of([(span.start, span.end, codes[label]) for span, label in marks]) for marks in text.marks.values()
    )
    return MarkedText(text.length, tuple(everyone))


def _codes(texts: Sequence[SeenText]) -> dict[str, int]:
    labels = sorted({label for text in texts for marks in text.marks.values() for _, label in marks})
    return {label: code for code, label in enumerate(labels, start=1)}


def _token_alpha(
    shared: Sequence[SeenText], texts: int, *, rng: np.random.Generator, resamples: int, categories: bool
) -> Figure:
    if not shared:
        return Figure(None, reason="no text was seen by two annotators", used=0, skipped=texts)
    sets: list[frozenset[str]] = [frozenset()]  # what one person may say of a token; first: nothing
    known = {sets[0]: 0}
    units, annotators, values, groups = [], [], [], []
    names = {name: code for code, name in enumerate(sorted({name for text in shared for name in text.marks}))}
    before = 0
    for number, text in enumerate(shared):
        groups.append(np.full(text.length, number))
        for name, marks in text.marks.items():
            tokens = np.zeros(text.length, dtype=np.int64)
            for span, label in marks:
                for place in span.positions():
                    said = sets[tokens[place]] | {label if categories else "marked"}
                    tokens[place] = known.setdefault(said, len(sets))
                    sets += [said] * (len(known) - len(sets))
            units.append(np.arange(before, before + text.length))
            annotators.append(np.full(text.length, names[name]))
            values.append(tokens)
        before += text.length
    labels = Labels.coded(
        (np.concatenate(units), range(before)),
        (np.concatenate(annotators), list(names)),
        (np.concatenate(values), sets),
    )
    level: Compared = "sets" if any(len(one) > 1 for one in sets) else "nominal"
    figure = krippendorff(labels, level, rng=rng, resamples=resamples, groups=np.concatenate(groups))
    reason = "nobody marked anything, or everything is marked alike" if figure.value is None else figure.reason
    return Figure(figure.value, figure.interval, reason, used=len(shared), skipped=texts - len(shared))


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
    labels = Labels.of(units, [0, 1] * len(groups), values)
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
