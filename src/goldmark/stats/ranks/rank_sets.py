"""Which ranks remain possible, for all systems at once: step-down tests of every two systems.

After Mogstad, Romano, Shaikh and Wilhelm (2024), as R's csranks has it. For every two systems there are two hypotheses,
that the one and that the other is not better. Of normal estimates with the covariance of the scores, the largest
standardised difference is drawn many times. A difference counts if it is among the largest of those that have not been
decided before; so differences that are plain make room for the others. The chance that any rank range leaves out a true
rank is at most alpha, over all systems (simultaneous) or for one system alone (marginal).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from goldmark.stats.ranks.judgements import Floats
from goldmark.stats.ranks.rank_ranges import RankRange

NEAR = 64  # draws that are looked at together: few enough to stay near the processor
MOST = 12_000_000  # draws times pairs that are affordable
FEWEST_DRAWS = 500
ROUNDING = 1e-10  # a variance of a difference that is nothing but rounding errors, beside those of the scores


def affordable_draws(systems: int, wanted: int) -> int:
    pairs = max(1, systems * (systems - 1) // 2)
    return min(wanted, max(FEWEST_DRAWS, MOST // pairs))


class DrawnScores(NamedTuple):
    """Estimates that are as uncertain as the scores, around equal truths, and their covariance."""

    estimates: NDArray[np.float32]  # systems x draws
    covariance: Floats


def draw(covariance: Floats, draws: int, rng: np.random.Generator) -> DrawnScores:
    """Normal, with the nearest covariance that is one: what is made of three parts need not be."""
    values, vectors = np.linalg.eigh((covariance + covariance.T) / 2)
    # The symmetric root, which hardly moves if the covariance hardly does: equal data give equal draws.
    root = (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
    return DrawnScores((root @ rng.standard_normal((len(root), draws))).astype(np.float32), root @ root.T)


def simultaneous(z: Floats, drawn: DrawnScores) -> Floats:
    """For every two systems the p-value of their difference, corrected for all pairs: a symmetric table.

    `z[i, j]` is how many standard errors system i lies above j.
    """
    first, second = np.triu_indices(len(z), 1)
    turned = z[first, second] < 0
    first, second = np.where(turned, second, first), np.where(turned, first, second)
    found = np.ones_like(z)
    found[first, second] = found[second, first] = _step_down(z[first, second], drawn, first, second)
    return found


def marginal(z: Floats, drawn: DrawnScores) -> Floats:
    """The same corrected only for the pairs of one system: row i is about system i, so the table is not symmetric."""
    found = np.ones_like(z)
    for one in range(len(z)):
        others = np.delete(np.arange(len(z)), one)
        above = z[one, others] >= 0
        first, second = np.where(above, one, others), np.where(above, others, one)
        found[one, others] = _step_down(np.abs(z[one, others]), drawn, first, second)
    return found


def ranges(z: Floats, p: Floats, alpha: float) -> list[RankRange]:
    """From 1 + the systems that are surely better, to all but those that are surely worse."""
    sure = p <= alpha
    better, worse = (sure & (z < 0)).sum(axis=1), (sure & (z > 0)).sum(axis=1)
    return [RankRange(1 + int(up), len(z) - int(down)) for up, down in zip(better, worse, strict=True)]


def _step_down(z: Floats, drawn: DrawnScores, first: NDArray[np.int64], second: NDArray[np.int64]) -> Floats:
    """Corrected p-values of pairs of which the first is the higher (Romano and Wolf 2005).

    The largest of all is compared with the largest of a draw, the next with the largest of the rest, and so on. The
    opposite hypothesis of every pair stays in the rest to the end.
    """
    order = np.argsort(z, kind="stable")
    if not len(order):
        return np.empty(0)
    high, low, wanted = first[order], second[order], z[order].astype(np.float32)
    covariance = drawn.covariance
    variance = covariance[high, high] + covariance[low, low] - 2 * covariance[high, low]
    varies = variance > ROUNDING * (covariance[high, high] + covariance[low, low])
    scale = np.where(varies, 1 / np.sqrt(np.where(varies, variance, 1.0)), 0.0).astype(np.float32)
    reached = np.zeros(len(order), dtype=np.int64)
    draws = drawn.estimates.shape[1]
    for start in range(0, draws, NEAR):
        some = drawn.estimates[:, start : start + NEAR]
        gaps = some[high]
        gaps -= some[low]
        gaps *= scale[:, None]
        np.maximum(gaps[0], -gaps.min(axis=0), out=gaps[0])
        np.maximum.accumulate(gaps, axis=0, out=gaps)
        reached += np.count_nonzero(gaps >= wanted[:, None], axis=1)
    p = (1 + reached) / (1 + draws)
    corrected = np.empty(len(order))
    corrected[order] = np.maximum.accumulate(p[::-1])[::-1]
    return corrected
