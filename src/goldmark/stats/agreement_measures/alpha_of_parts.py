"""Krippendorff's alpha of more units than should be counted at once, such as the tokens of a million answers."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from goldmark.records.figures import Figure
from goldmark.stats.agreement_measures.alpha import (
    NO_VARIATION,
    OTHER_LABEL,
    PARTS,
    WIDEST,
    expected_disagreement,
    few_pairs,
    jaccard,
    of_few,
    table_of_few,
    within_units,
)
from goldmark.stats.agreement_measures.coefficients import Coefficient, figure_of, why_careful
from goldmark.stats.agreement_measures.unit_labels import Floats, HeldCounts, UnitCounts, Whole
from goldmark.stats.inference.jackknife import parts_of

AT_ONCE = 50_000  # groups of which each is left out, of those with few values


def krippendorff_of_parts(
    held: Sequence[HeldCounts],
    level: Literal["nominal", "sets"],
    scale: Sequence[Hashable],
    *,
    rng: np.random.Generator,
    groups: NDArray[np.signedinteger],
    repeats: NDArray[np.signedinteger],
) -> Figure:
    """The same alpha, to the last digit, of more units than should be counted at once; no group is in two parts."""
    used = len(groups)
    if not used:
        return Figure(None, reason="there are no labels", used=0, skipped=0)
    group = np.unique(groups, return_inverse=True)[1].astype(np.int32)
    ends = np.cumsum([len(one) for one in held]).tolist()
    cuts = list(pairwise([0, *ends]))

    def parts() -> Iterator[tuple[UnitCounts, Floats, Whole]]:
        """Each part with how often its units count, and their groups, numbered from 0."""
        for (begin, end), one in zip(cuts, held, strict=True):
            if end > begin:
                own = group[begin:end].astype(np.int64)
                yield one.wide(scale), repeats[begin:end].astype(np.float64), own - own[0]

    def times_of(weights: Iterable[Floats]) -> Floats:
        own = zip(parts(), weights, strict=True)
        often = [tally.per_value(some[tally.unit] * tally.count) for (tally, *_), some in own]
        return np.asarray(np.sum(often, axis=0), dtype=np.float64)

    times = times_of(weights for _, weights, _ in parts())
    if (times > 0).sum() == 1:
        one = scale[int(np.argmax(times))]
        return Figure(None, reason=NO_VARIATION.format(value=repr(one)), used=used, skipped=0)
    places = jaccard(scale) if level == "sets" else np.zeros(len(scale))
    within = np.concatenate([within_units(tally, level, places) for tally, *_ in parts()])
    weights = repeats.astype(np.float64)
    lost = float(weights @ within) / float(expected_disagreement(times, level, places)) * float(times.sum() - 1)
    if level == "sets" and len(scale) > WIDEST:
        why = f"no interval: the level {level!r} with {len(scale)} distinct values would take too long"
        return Figure(1 - lost, reason=why, used=used, skipped=0)
    drawn = int(group.max()) + 1
    if few_pairs(len(scale), drawn):
        table = np.vstack([table_of_few(*part) for part in parts()])
        total = table.sum(axis=0)
        some = np.array_split(table, 1 + drawn // AT_ONCE)
        without = np.concatenate([of_few(total - rows, level, places, len(scale)) for rows in some])
    else:
        part = parts_of(drawn, PARTS, rng)

        def left(one: int) -> float:
            kept = (part != one)[group] * weights
            some = times_of(kept[begin:end] for begin, end in cuts if end > begin)
            expected = expected_disagreement(some, level, places)
            return float(kept @ within) / expected * float(some.sum() - 1) if expected > 0 else np.nan

        without = np.array([left(one) for one in range(int(part.max()) + 1)])
    differ = 1 - float(((times / times.sum()) ** 2).sum())
    common = int(np.argmax(times))
    other = sum(len(np.unique(own[tally.unit[tally.value != common]])) for tally, _, own in parts())
    labels = sum(int(one.counts.sum()) for one in held)
    careful = why_careful(drawn, other, OTHER_LABEL)
    return figure_of(Coefficient(lost, without, differ, labels, careful), used, 0)
