"""Scores of metrics beside people's, and how they are compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from goldmark.stats.correlations.correlation import Method
from goldmark.stats.correlations.correlation_levels import Level, ScoredOutputs
from goldmark.stats.significance.tests import Correction

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
Interval = Literal["usual", "systems", "items", "fisher", "none"]
Measure = Method | Literal["pairwise", "soft-pairwise"]
Test = Literal["permutation", "perm-both", "williams", "none"]


def is_accuracy(method: Measure) -> bool:
    """Whether it counts pairs that are ordered as people have them, and is no correlation."""
    return method in ("pairwise", "soft-pairwise")


@dataclass(frozen=True)
class MetricOptions:
    """How to correlate."""

    levels: Sequence[Level] = ("segment", "system")
    methods: Sequence[Measure] = ("pearson", "spearman", "kendall")
    interval: Interval = "usual"  # what is drawn anew: for each level what its question takes to be a sample
    test: Test = "permutation"
    correction: Correction = "holm"
    resamples: int = 1000
    permutations: int = 1000
    level: float = 0.95
    alpha: float = 0.05
    seed: int = 17


@dataclass(frozen=True)
class MetricTable:
    """The columns of a table of outputs; rows with both scores are picked for each metric, or pair of metrics."""

    human: Floats
    metrics: Floats  # rows x metrics
    system: Codes | None
    item: Codes | None

    def known(self, *metrics: int) -> NDArray[np.bool_]:
        missing: NDArray[np.bool_] = np.isnan(self.human) | np.isnan(self.metrics[:, metrics]).any(axis=1)
        return ~missing

    def outputs(self, metric: int, known: NDArray[np.bool_]) -> ScoredOutputs:
        def without_gaps(codes: Codes | None) -> Codes | None:
            return None if codes is None else np.unique(codes[known], return_inverse=True)[1].astype(np.int64)

        system, item = without_gaps(self.system), without_gaps(self.item)
        return ScoredOutputs.of(self.human[known], self.metrics[known, metric], system, item)


def system_tables(outputs: ScoredOutputs) -> tuple[Floats, Floats]:
    """Both scores as tables systems x items, NaN where there is none; several outputs of a cell are averaged."""
    if outputs.system is None:
        return np.empty((0, 0)), np.empty((0, 0))
    item = np.arange(len(outputs.human)) if outputs.item is None else outputs.item
    shape = int(outputs.system.max()) + 1, int(item.max()) + 1
    cell = outputs.system * shape[1] + item
    count = np.bincount(cell, minlength=shape[0] * shape[1])
    found = []
    for scores in (outputs.human, outputs.metric):
        total = np.bincount(cell, weights=scores, minlength=len(count))
        found.append(np.where(count > 0, total / np.maximum(count, 1), np.nan).reshape(shape))
    return found[0], found[1]
