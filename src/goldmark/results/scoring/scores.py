"""Recall and precision of a mistake list, by mistake and by token, with intervals over texts."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from goldmark.records.figures import Figure, Interval, Signature, Undefined
from goldmark.records.mistakes import Mistake
from goldmark.stats.inference.bootstrap import Floats, ratio
from goldmark.stats.inference.proportions import few_texts, ratio_interval
from goldmark.stats.mistake_matching import MatchCounts, Matches, by_text, count, match

OVERALL = "overall"
MEASURES = ("recall", "precision", "token_recall", "token_precision")
WIDTH = len(MatchCounts._fields)
# Which counts each measure divides: (above, below).
PARTS = {"recall": (0, 1), "precision": (0, 2), "token_recall": (3, 4), "token_precision": (3, 5)}


@dataclass(frozen=True)
class MistakeScore:
    """One row: all mistakes, or those of one category."""

    counts: MatchCounts
    recall: Figure
    precision: Figure
    token_recall: Figure
    token_precision: Figure


@dataclass(frozen=True)
class ScoreSheet:
    rows: dict[str, MistakeScore]
    matches: Matches
    signature: Signature


def score(
    gold: Sequence[Mistake],
    submitted: Sequence[Mistake],
    *,
    texts: Collection[str],
    categories: Sequence[str],
) -> ScoreSheet:
    """Score a list on `texts`: every text that was looked at, also those in which nothing was found.

    Intervals are over texts, because the mistakes of one text are not independent.
    """
    table = per_text_counts(gold, submitted, texts=texts, categories=categories)
    names = (OVERALL, *categories)
    rows = {}
    for place, name in enumerate(names):
        columns = slice(place * WIDTH, (place + 1) * WIDTH)
        total = MatchCounts(*(int(value) for value in table[:, columns].sum(axis=0)))
        figures = {}
        for measure in MEASURES:
            interval = interval_of(table[:, columns], measure)
            figures[measure] = figure_of(total, measure, name, interval, careful=few_texts(len(table)))
        rows[name] = MistakeScore(total, **figures)
    return ScoreSheet(
        rows,
        all_matches(gold, submitted),
        signature_of(len(table), categories),
    )


def per_text_counts(
    gold: Sequence[Mistake], reported: Sequence[Mistake], *, texts: Collection[str], categories: Sequence[str]
) -> NDArray[np.int64]:
    """One row per text: the counts of all mistakes, then those of each category alone."""
    gold_in, reported_in = by_text(gold), by_text(reported)
    table = np.zeros((len(texts), (len(categories) + 1) * WIDTH), dtype=np.int64)
    for row, text in enumerate(texts):
        mine, theirs = gold_in.get(text, []), reported_in.get(text, [])
        if not mine and not theirs:
            continue
        cells = [*count(mine, theirs)]
        for category in categories:
            cells += count([m for m in mine if m.label == category], [m for m in theirs if m.label == category])
        table[row] = cells
    return table


def all_matches(gold: Sequence[Mistake], reported: Sequence[Mistake]) -> Matches:
    """Which mistakes were found, missed and invented, text by text, whatever their categories."""
    gold_in, reported_in = by_text(gold), by_text(reported)
    texts = [match(gold_in.get(text, []), reported_in.get(text, [])) for text in sorted({*gold_in, *reported_in})]
    return Matches(
        tuple(pair for text in texts for pair in text.found),
        tuple(mistake for text in texts for mistake in text.missed),
        tuple(mistake for text in texts for mistake in text.invented),
    )


def measure_of(sums: Floats, measure: str) -> Floats:
    above, below = PARTS[measure]
    return ratio(sums[:, above], sums[:, below])


def interval_of(counts: NDArray[np.int64], measure: str) -> Interval | Undefined:
    """The interval of one measure from the counts of each text (those of one row): Wilson's, over texts."""
    above, below = PARTS[measure]
    return ratio_interval(counts[:, above], counts[:, below])


def figure_of(
    total: MatchCounts,
    measure: str,
    name: str,
    interval: Interval | Undefined | None,
    *,
    which: str = "submitted",
    careful: str = "",
) -> Figure:
    """One measure of one row; `which` names the list for people, `careful` says why not to trust the interval."""
    above, below = PARTS[measure]
    if not total[below]:
        empty = "gold" if measure.endswith("recall") else which
        of = "" if name == OVERALL else f" of category {name}"
        return Figure(None, reason=f"the {empty} list has no mistake{of}")
    value = total[above] / total[below]
    if isinstance(interval, Undefined):
        return Figure(value, reason=f"no interval: {interval.reason}", used=total[below])
    return Figure(value, interval, careful, used=total[below])


def signature_of(texts: int, categories: Sequence[str]) -> Signature:
    return Signature.of(
        match="token-overlap-once", texts=texts, categories="+".join(categories), interval="wilson-jackknife-95-texts"
    )
