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
    WIDTH,
    figure_of,
    measure_of,
    per_text_counts,
    signature_of,
)
from goldmark.stats.inference.bootstrap import Floats, percentile_interval, resampled_sums, too_few
from goldmark.stats.inference.randomisation import paired_randomisation
from goldmark.stats.mistake_matching import MatchCounts


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
    both = np.concatenate(tables, axis=1)
    width = tables[0].shape[1]
    few = too_few(len(both)) if len(both) < 2 else None
    sums = None if few else resampled_sums(both, resamples=resamples, rng=rng)
    order = [(place, measure) for place in range(len(names)) for measure in MEASURES]

    def measures(totals: Floats) -> Floats:
        columns = [measure_of(totals[:, place * WIDTH : (place + 1) * WIDTH], measure) for place, measure in order]
        return np.stack(columns, axis=1)

    p_values = paired_randomisation(tables[0], tables[1], measures, rng=rng, resamples=resamples)
    replicates = None if sums is None else measures(sums[:, :width]) - measures(sums[:, width:])
    rows: dict[str, dict[str, Difference]] = {name: {} for name in names}
    for position, (place, measure) in enumerate(order):
        name = names[place]
        columns = slice(place * WIDTH, (place + 1) * WIDTH)
        parts = [
            figure_of(MatchCounts(*map(int, table[:, columns].sum(axis=0))), measure, name, None, which=which)
            for table, which in zip(tables, ("first", "second"), strict=True)
        ]
        interval = few if replicates is None else percentile_interval(replicates[:, position])
        p = float(p_values[position])
        rows[name][measure] = Difference(
            parts[0], parts[1], _difference(parts[0], parts[1], interval), None if np.isnan(p) else p
        )
    signature = signature_of(len(both), categories, resamples, seed)
    return ScoreComparison(rows, Signature((("test", "paired-randomisation"), *signature.parts)))


def _difference(first: Figure, second: Figure, interval: Interval | Undefined | None) -> Figure:
    if first.value is None or second.value is None:
        return Figure(None, reason=first.reason or second.reason)
    if isinstance(interval, Undefined):
        return Figure(first.value - second.value, reason=f"no interval: {interval.reason}")
    return Figure(first.value - second.value, interval)
