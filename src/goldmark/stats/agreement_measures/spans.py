"""Agreement on marked spans: token by token, pair by pair, and on the categories of spans that both marked.

One person's spans may overlap, where a protocol lets them: a token then has a set of categories.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from goldmark.records.figures import Figure, counted
from goldmark.stats.agreement_measures.alignment import AnnotatorMarks, MarkedText
from goldmark.stats.agreement_measures.alpha import krippendorff
from goldmark.stats.agreement_measures.alpha_of_parts import krippendorff_of_parts
from goldmark.stats.agreement_measures.gamma import Gamma, gamma
from goldmark.stats.agreement_measures.mark_columns import MarkColumns, SeenText, Short, runs
from goldmark.stats.agreement_measures.span_matching import best_pairs
from goldmark.stats.agreement_measures.unit_labels import HeldCounts, UnitLabels, Whole
from goldmark.stats.inference.bootstrap import Floats, ratio
from goldmark.stats.inference.jackknife import parts_of
from goldmark.stats.inference.sums import sums_figure

if TYPE_CHECKING:
    from scipy.sparse import csr_array

ENOUGH_TEXTS = (
    50  # from which on the interval of the categories of tokens, most of which nobody marked, is not too wide
)
PARTS = 200  # so many parts of the texts are left out in turn where there are more texts


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
    seen: Sequence[SeenText] | MarkColumns,
    *,
    rng: np.random.Generator,
    no_gamma: str = "",
    patience: float | None = None,
) -> SpanAgreement:
    """All measures of span agreement; intervals are over texts, for the tokens of a text are not independent.

    `no_gamma` is a reason to leave gamma out, which takes by far the longest, and `patience` how many seconds it may
    take; no other figure depends on it. Texts and people are taken in the order of their names, so that the order of a
    file changes no digit.
    """
    columns = seen if isinstance(seen, MarkColumns) else MarkColumns.of(seen)
    texts = len(columns.texts) if isinstance(seen, MarkColumns) else len(seen)
    shared = columns.shared()
    met = _Met.of(shared)
    totals = met.totals()
    marked = totals[:, 1] > 0
    tokens = _tokens(shared)
    return SpanAgreement(
        token_alpha=_token_alpha(tokens, len(shared.texts), texts, rng=rng),
        marked_alpha=_token_alpha(tokens.marked(), len(shared.texts), texts, rng=rng),
        token_f1=_mean_f1(met, totals, marked, rng),
        category_percent=_category_percent(met, rng),
        category_alpha=_category_alpha(met, rng=rng),
        gamma=_gamma(columns, no_gamma, rng=rng, patience=patience),
        pairs=met.pairs(),
    )


def span_pairs(columns: MarkColumns) -> tuple[SpanPair, ...]:
    """Every two annotators who saw a text in common, without anything else."""
    return _Met.of(columns).pairs()


@dataclass(frozen=True)
class _Met:
    """What every two people have in common."""

    seen: Mapping[tuple[str, str], int]  # by two people, the texts that both saw
    table: csr_array  # texts x (pairs x what is counted), of which only what is there is held
    labels: Sequence[str]
    given: tuple[Short, Short]  # of every two marks that match, the label of the one and of the other
    text: Short  # in which text they are

    @classmethod
    def of(cls, columns: MarkColumns) -> _Met:
        from scipy.sparse import csr_array

        people = len(columns.people)
        keys, counts, pairs = [np.zeros(0, dtype=np.int64)], [np.zeros((0, WIDE), dtype=np.int32)], []
        first, second, texts = ([np.zeros(0, dtype=np.int32)] for _ in range(3))
        for part in columns.parts():
            one, other = part.columns.pairs
            keys.append(part.columns.person[one] * people + part.columns.person[other])
            pairs.append(np.bincount(part.columns.text[one], minlength=len(part.columns.texts)))
            pair, mine, theirs = _matched(part.columns)
            counts.append(_counted(part.columns, pair, mine == theirs).astype(np.int32))
            first.append(mine.astype(np.int32))
            second.append(theirs.astype(np.int32))
            texts.append((part.columns.text[one][pair] + part.text).astype(np.int32))
        names, number = np.unique(np.concatenate(keys), return_inverse=True)
        del keys
        places = (number[:, None] * WIDE + np.arange(WIDE)).ravel().astype(np.int32)
        ends = np.cumsum([0, *np.concatenate([np.zeros(0, dtype=np.int64), *pairs]).tolist()]) * WIDE
        data = np.concatenate(counts).ravel().astype(np.float64)
        del counts
        table = csr_array((data, places, ends.astype(np.int32)), shape=(len(columns.texts), len(names) * WIDE))
        two = ((columns.people[code // people], columns.people[code % people]) for code in names.tolist())
        seen = dict(zip(two, np.bincount(number).tolist(), strict=True))
        given = np.concatenate(first), np.concatenate(second)
        return cls(seen, table, columns.labels, given, np.concatenate(texts))

    def totals(self) -> Floats:
        """What every two people have in common in all texts: pairs x what is counted."""
        return np.asarray(self.table.sum(axis=0)).reshape(len(self.seen), WIDE)

    def parts(self, rng: np.random.Generator) -> Floats:
        """What is counted in every text, or in each of some parts of many texts: what is left out in turn."""
        from scipy.sparse import csr_array

        texts = self.table.shape[0]
        part = parts_of(texts, PARTS, rng)
        if texts <= PARTS:
            return np.asarray(self.table.toarray(), dtype=np.float64)
        into = csr_array((np.ones(texts), (part, np.arange(texts))), shape=(PARTS, texts))
        return np.asarray((into @ self.table).toarray(), dtype=np.float64)

    def pairs(self) -> tuple[SpanPair, ...]:
        totals = zip(self.seen.items(), self.totals(), strict=True)
        return tuple(_span_pair(pair, total, texts) for (pair, texts), total in totals)


def _gamma(columns: MarkColumns, without: str, *, rng: np.random.Generator, patience: float | None) -> Gamma:
    if without:
        return Gamma(Figure(None, reason=without, used=0))
    texts = columns.seen()
    codes = _codes(texts)
    return gamma([marked_text(text, codes) for text in texts], rng=rng, patience=patience)


# Of two people: twice the tokens that both marked, tokens of one plus tokens of the other, marks that match, those of
# the same category.
WIDE = 4


def _counted(columns: MarkColumns, matched: Whole, same: NDArray[np.bool_]) -> Whole:
    """Of each pair of readings what `WIDE` says."""
    first, second = columns.pairs
    return np.stack(
        [
            2 * columns.shared_tokens(),
            columns.tokens[first] + columns.tokens[second],
            np.bincount(matched, minlength=len(first)),
            np.bincount(matched[same], minlength=len(first)),
        ],
        axis=1,
    )


def _matched(columns: MarkColumns) -> tuple[Whole, Whole, Whole]:
    """Marks of two readings that belong together: which pair of readings, and the labels of the two marks."""
    pair, own, other = columns.matched()
    found = [(pair, columns.label[own], columns.label[other])]
    first, second = columns.pairs
    for place in np.flatnonzero(columns.twice[first] | columns.twice[second]).tolist():
        mine, theirs = columns.given(int(first[place])), columns.given(int(second[place]))
        labels = columns.label[mine], columns.label[theirs]
        same = labels[0][:, None] == labels[1]
        best = np.array(best_pairs(columns.spans(mine), columns.spans(theirs), same), dtype=np.int64).reshape(-1, 2)
        found.append((np.full(len(best), place), labels[0][best[:, 0]], labels[1][best[:, 1]]))
    pair, own, other = (np.concatenate(side) for side in zip(*found, strict=True))
    order = np.argsort(pair, kind="stable")
    return pair[order], own[order], other[order]


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


class _Tokens(NamedTuple):
    """What everybody said of every token; tokens in a row of which everybody says the same are one unit."""

    held: Sequence[HeldCounts]  # places among `sets`, some thousand texts at a time
    sets: Sequence[frozenset[str]]  # what one person may say of a token: nothing first, then sets of categories
    group: Short  # of each unit, its text
    repeats: Short  # of each unit, how many tokens it is

    def marked(self) -> _Tokens:
        """The same with only whether a token is marked."""
        return self._replace(held=[one.whether() for one in self.held], sets=[frozenset(), frozenset({"marked"})])


def _tokens(shared: MarkColumns) -> _Tokens:
    sets = [frozenset[str](), *(frozenset({label}) for label in shared.labels)]
    held, groups, repeats = [], [np.zeros(0, dtype=np.int32)], [np.zeros(0, dtype=np.int32)]
    for part in shared.parts():
        unit, said, group, often = _units(part.columns, sets)
        held.append(HeldCounts.of(unit, said, len(group), len(sets)))
        groups.append((group + part.text).astype(np.int32))
        repeats.append(often.astype(np.int32))
    return _Tokens(held, sets, np.concatenate(groups), np.concatenate(repeats))


def _units(shared: MarkColumns, sets: list[frozenset[str]]) -> tuple[Whole, Whole, Whole, Whole]:
    """What is said of which unit, a place among `sets` for each reader; of each unit its text, and how many tokens."""
    # Between two places where anybody's mark begins or ends, all tokens are alike.
    wide = 1 + int(max(shared.lengths.max(initial=0), shared.end.max(initial=0)))
    text = shared.text[shared.reading]
    everywhere = np.arange(len(shared.texts)) * wide
    edges = np.unique(
        np.concatenate([everywhere, everywhere + shared.lengths, text * wide + shared.start, text * wide + shared.end])
    )
    within = np.flatnonzero(edges[1:] // wide == edges[:-1] // wide)  # a unit begins at each edge but a text's last
    group, repeats = edges[within] // wide, edges[within + 1] - edges[within]
    units = np.bincount(group, minlength=len(shared.texts))
    begins = np.cumsum(units) - units
    many = units[shared.text]
    offset = np.cumsum(many) - many  # of each reading, where what it says of the units of its text begins
    unit = np.repeat(begins[shared.text], many) + runs(many)
    # An edge has as many edges before it that are the last of their texts as there are texts before its own.
    first, last = (np.searchsorted(edges, text * wide + place) - text for place in (shared.start, shared.end))
    said = _said(shared, first - begins[text] + offset[shared.reading], last - first, len(unit), sets)
    alike = _alike(shared, group, unit, said, many)
    kept = np.unique(alike, return_index=True)[1]
    there = np.zeros(len(group), dtype=np.bool_)
    there[kept] = True
    rows = there[unit]
    return alike[unit[rows]], said[rows], group[kept], np.bincount(alike, weights=repeats).astype(np.int64)


def _alike(shared: MarkColumns, group: Whole, unit: Whole, said: Whole, many: Whole) -> Whole:
    """Of each unit a number that it shares with those of its text of which everybody says the same."""
    turn = np.repeat(runs(shared.readers), many)  # of each thing said, the how manieth reader says it
    code = group
    for reader in range(int(shared.readers.max(initial=0))):
        own = turn == reader
        said_so = code * 0
        said_so[unit[own]] = said[own]
        code = np.unique(code * (1 + int(said.max(initial=0))) + said_so, return_inverse=True)[1]
    return code


def _said(columns: MarkColumns, place: Whole, length: Whole, size: int, sets: list[frozenset[str]]) -> Whole:
    """What is said of each unit by each reading: places among sets of labels, of which the first is empty.

    Sets that nobody had said before are put at their end.
    """
    said = np.zeros(size, dtype=np.int64)
    once = ~columns.twice[columns.reading]
    label = np.repeat(columns.label[once].astype(np.int64) + 1, length[once])
    said[np.repeat(place[once], length[once]) + runs(length[once])] = label
    known = {one: code for code, one in enumerate(sets)} if not once.all() else {}
    for mark in np.flatnonzero(~once).tolist():
        for unit in range(int(place[mark]), int(place[mark] + length[mark])):
            more = sets[said[unit]] | sets[columns.label[mark] + 1]
            said[unit] = known.setdefault(more, len(sets))
            sets += [more] * (len(known) - len(sets))
    return said


def _token_alpha(tokens: _Tokens, shared: int, texts: int, *, rng: np.random.Generator) -> Figure:
    if not shared:
        return Figure(None, reason="no text was seen by two annotators", used=0, skipped=texts)
    level: Literal["nominal", "sets"] = "sets" if any(len(one) > 1 for one in tokens.sets) else "nominal"
    held, sets, groups, repeats = tokens
    figure = krippendorff_of_parts(held, level, sets, rng=rng, groups=groups, repeats=repeats)
    reason = "nobody marked anything, or everything is marked alike" if figure.value is None else figure.reason
    if not reason and len(tokens.sets) > 2 and shared < ENOUGH_TEXTS:
        reason = f"{counted(shared, 'text')}: with fewer than {ENOUGH_TEXTS} the interval is wider than it need be"
    return Figure(figure.value, figure.interval, reason, used=shared, skipped=texts - shared)


def _mean_f1(met: _Met, totals: Floats, marked: NDArray[np.bool_], rng: np.random.Generator) -> Figure:
    """The mean F1 of pairs who marked anything."""
    if not len(totals):
        return Figure(None, reason="no text was seen by two annotators", used=0, skipped=0)
    if not marked.any():
        return Figure(None, reason="nobody marked anything", used=0, skipped=len(totals))

    def mean(sums: Floats) -> Floats:
        table = sums.reshape(len(sums), *totals.shape)
        each = ratio(table[:, marked, 0], table[:, marked, 1])
        known = ~np.isnan(each)
        return ratio(np.where(known, each, 0.0).sum(axis=1), known.sum(axis=1).astype(np.float64))

    found = sums_figure(met.parts(rng), mean, most=float(totals[:, 1].sum()))
    return replace(found, used=int(marked.sum()), skipped=int((~marked).sum()))


def _category_percent(met: _Met, rng: np.random.Generator) -> Figure:
    """The share of matched spans with equal labels."""
    parts = met.parts(rng).reshape(met.table.shape[0] and -1, len(met.seen), WIDE).sum(axis=1)
    if not len(parts) or not parts[:, 2].sum():
        return Figure(None, reason="no two annotators marked overlapping spans", used=0)
    matched = parts[:, 2].sum()
    return replace(sums_figure(parts, lambda sums: ratio(sums[:, 3], sums[:, 2]), most=matched), used=int(matched))


def _category_alpha(met: _Met, *, rng: np.random.Generator) -> Figure:
    """Alpha with each pair of matched spans as one unit with two labels."""
    if not len(met.text):
        return Figure(None, reason="no two annotators marked overlapping spans", used=0)
    units = np.arange(len(met.text))
    sides = np.tile(np.arange(2), len(units))
    given = np.stack(met.given, axis=1).ravel().astype(np.int64)
    labels = UnitLabels.coded((np.repeat(units, 2), range(len(units))), (sides, range(2)), (given, met.labels))
    return krippendorff(labels, rng=rng, groups=met.text.astype(np.int64))


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
