"""Two mistake lists on the same texts: is the difference real?"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from goldmark.records.figures import Figure, Interval, Signature, Undefined
from goldmark.records.mistakes import Mistake
from goldmark.results.scoring.scores import (
    MEASURES,
    OVERALL,
    PARTS,
    WIDTH,
    figure_of,
    measure_of,
    per_text_counts,
    signature_of,
)
from goldmark.stats.inference.bootstrap import Floats
from goldmark.stats.inference.proportions import ratio_difference_interval
from goldmark.stats.mistake_matching import MatchCounts
from goldmark.stats.significance.randomisation import paired_randomisation


@dataclass(frozen=True)
class Difference:
    """One measure of two lists: first minus second, how sure that is, and how likely by chance."""

    first: Figure
    second: Figure
    difference: Figure
    p: float | None


@dataclass(frozen=True)
class ScoreComparison:
    rows: dict[str, dict[str, Difference]]
    signature: Signature


def compare(
    gold: Sequence[Mistake],
    first: Sequence[Mistake],
    second: Sequence[Mistake],
    *,
    texts: Collection[str],
    categories: Sequence[str],
    rng: np.random.Generator,
    resamples: int = 10_000,
    seed: int | None = None,
) -> ScoreComparison:
    """Is one list better than another on the same texts? Difference, its interval, paired randomisation test."""
    names = (OVERALL, *categories)
    tables = [per_text_counts(gold, reported, texts=texts, categories=categories) for reported in (first, second)]
    order = [(place, measure) for place in range(len(names)) for measure in MEASURES]

    def measures(totals: Floats) -> Floats:
        columns = [measure_of(totals[:, place * WIDTH : (place + 1) * WIDTH], measure) for place, measure in order]
        return np.stack(columns, axis=1)

    p_values = paired_randomisation(tables[0], tables[1], measures, rng=rng, resamples=resamples)
    rows: dict[str, dict[str, Difference]] = {name: {} for name in names}
    for position, (place, measure) in enumerate(order):
        name = names[place]
        columns = slice(place * WIDTH, (place + 1) * WIDTH)
        parts = [
            figure_of(MatchCounts(*map(int, table[:, columns].sum(axis=0))), measure, name, None, which=which)
            for table, which in zip(tables, ("first", "second"), strict=True)
        ]
        above, below = PARTS[measure]
        one, other = ((table[:, columns][:, above], table[:, columns][:, below]) for table in tables)
        interval = ratio_difference_interval(one, other)
        p = float(p_values[position])
        rows[name][measure] = Difference(
            parts[0], parts[1], _difference(parts[0], parts[1], interval), None if np.isnan(p) else p
        )
    signature = signature_of(len(tables[0]), categories)
    drawn = (("flips", str(resamples)), ("seed", "none" if seed is None else str(seed)))
    return ScoreComparison(rows, Signature((("test", "paired-randomisation"), *drawn, *signature.parts)))


def _difference(first: Figure, second: Figure, interval: Interval | Undefined | None) -> Figure:
    if first.value is None or second.value is None:
        return Figure(None, reason=first.reason or second.reason)
    if isinstance(interval, Undefined):
        return Figure(first.value - second.value, reason=f"no interval: {interval.reason}")
    return Figure(first.value - second.value, interval)
