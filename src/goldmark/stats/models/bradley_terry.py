"""Bradley-Terry with ties and an effect of order: how strong systems are, from comparisons of two texts.

The story: two texts are shown, one first. The first is preferred, the second is, or neither, with odds

    first : second : tie  =  e^(s_first + order) : e^(s_second) : e^(tie + (s_first + s_second) / 2)

where s are the strengths of the systems (they sum to 0). This is Davidson's model (1970) with the order effect of
Davidson and Beaver (1977); without ties it is Bradley and Terry's (1952). The likelihood has one peak, which Newton's
steps find. It exists only if nobody wins everything (Ford 1957): every group of systems has a win or a tie against the
others. Even then the effect of order may have no end, where the text that is shown first never loses; it is then left
out, and the model says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import scipy
from numpy.typing import NDArray

from goldmark.records.figures import Figure, Interval
from goldmark.stats.mixed_models.crossed_effects import Codes, Floats
from goldmark.stats.mixed_models.linear_mixed import NothingToFit

FIRST, SECOND, TIE = 0, 1, 2  # what was preferred
FEW_PEOPLE = 5
MOST_STEPS, CLOSE = 100, 1e-12
ENDLESS = 15.0  # log odds that steps only come to where the likelihood has no peak


@dataclass(frozen=True)
class Clusters:
    """Who compared, and on which item: comparisons that share one of them hang together. None where it is not known."""

    people: Codes | None = None
    items: Codes | None = None

    def spread(self, influence: Floats) -> tuple[float, float]:
        """The variance of a sum of what each comparison adds to it, and its degrees of freedom (Satterthwaite's).

        As of a mean with two crossed clusters (`stats.ranks.evidence`): items + people - single answers, and never less
        than single answers alone.
        """

        def squares(codes: Codes) -> float:
            return float((np.bincount(codes, influence) ** 2).sum())

        known = [codes for codes in (self.items, self.people) if codes is not None]
        if not known:
            return float(influence @ influence), np.inf
        sizes = [int(codes.max()) + 1 for codes in known]
        parts = [squares(codes) * size / (size - 1) for codes, size in zip(known, sizes, strict=True)]
        variance = max(parts)
        if len(known) == 2:
            both = np.unique(known[0] * sizes[1] + known[1], return_inverse=True)[1]
            variance = max(squares(both), sum(parts) - squares(both))
        below = sum(part**2 / (size - 1) for part, size in zip(parts, sizes, strict=True))
        return variance, max(1.0, variance**2 / below) if below > 0 else 1.0


@dataclass(frozen=True)
class BradleyTerry:
    """A fitted model. Its parameters: the strengths as the systems come, then order and tie if they are in it."""

    strengths: Floats
    order: float | None
    tie: float | None
    clusters: Clusters
    comparisons: int
    people: int
    misfit: float  # Pearson's X^2 over ordered pairs of systems
    misfit_df: int
    cycles: int  # triples of systems of which each beats the next
    triples: int
    _influence: Floats  # of each comparison on each parameter
    order_endless: bool = False  # whether an effect of order was left out because it has no end

    @property
    def misfit_p(self) -> float | None:
        """Of so bad a fit if the model is true; None where there is nothing left to check."""
        return float(scipy.stats.chi2.sf(self.misfit, self.misfit_df)) if self.misfit_df > 0 else None

    def figure(self, weights: Sequence[float] | Floats, level: float = 0.95) -> Figure:
        """A combination of parameters with its interval."""
        c = np.asarray(weights, dtype=np.float64)
        extra = [one for one in (self.order, self.tie) if one is not None]
        value = float(c @ np.concatenate([self.strengths, extra]))
        variance, freedom = self.clusters.spread(self._influence @ c)
        half = float(scipy.stats.t.ppf((1 + level) / 2, freedom)) * float(np.sqrt(variance))
        return Figure(value, Interval(value - half, value + half, level), used=self.comparisons)

    def unit(self, place: int) -> Floats:
        one: Floats = np.eye(self._influence.shape[1])[place]
        return one


def bradley_terry(
    first: Codes,
    second: Codes,
    outcome: Codes,
    annotator: Codes | None = None,
    item: Codes | None = None,
    *,
    order: bool = True,
    known: NDArray[np.bool_] | None = None,
) -> BradleyTerry:
    """Fit the model: the systems shown first and second as codes from 0, and FIRST, SECOND or TIE.

    `known` says of which comparisons the order is known (else of all); the others tell nothing of what order does.
    """
    known = np.ones(len(first), dtype=bool) if known is None else known
    systems = int(max(first.max(), second.max())) + 1
    if (first == second).any():
        raise NothingToFit(why="a system is compared with itself")
    _refuse_endless(systems, first, second, outcome)
    ties = bool((outcome == TIE).any())
    order = order and len(np.unique((first < second)[known])) > 1
    size = systems + order + ties
    utilities = np.zeros((len(first), 3 if ties else 2, size))
    rows = np.arange(len(first))
    utilities[rows, FIRST, first] = 1
    utilities[rows, SECOND, second] = 1
    if order:
        utilities[known, FIRST, systems] = 1
    if ties:
        utilities[rows, TIE, first] = utilities[rows, TIE, second] = 0.5
        utilities[:, TIE, -1] = 1
    point, information, probability = _climb(utilities, outcome, systems)
    if np.abs(point).max() > ENDLESS:
        if not order:
            raise NothingToFit(why="almost every comparison is a tie, so strengths cannot be told")
        return replace(bradley_terry(first, second, outcome, annotator, item, order=False), order_endless=True)
    mean = np.einsum("nk,nkp->np", probability, utilities)
    influence = (utilities[rows, outcome] - mean) @ _inverse(information, systems)
    clusters = Clusters(_several(annotator), _several(item))
    misfit, free = _misfit(first * systems + second, outcome, probability)
    cycles, triples = _cycles(systems, first, second, outcome)
    return BradleyTerry(
        point[:systems],
        float(point[systems]) if order else None,
        float(point[-1]) if ties else None,
        clusters,
        len(first),
        0 if annotator is None else len(np.unique(annotator)),
        misfit,
        free - (systems - 1) - order - ties,
        cycles,
        triples,
        influence,
    )


def _several(codes: Codes | None) -> Codes | None:
    """Codes without gaps; one person, or one item, tells nothing of how others differ."""
    if codes is None:
        return None
    names, place = np.unique(codes, return_inverse=True)
    return place if len(names) > 1 else None


def _climb(utilities: Floats, outcome: Codes, systems: int) -> tuple[Floats, Floats, Floats]:
    """The peak of the likelihood."""
    point = np.zeros(utilities.shape[2])
    rows = np.arange(len(outcome))
    height = -np.inf
    for _ in range(MOST_STEPS):
        eta = utilities @ point
        eta -= eta.max(axis=1, keepdims=True)
        weight = np.exp(eta)
        probability = weight / weight.sum(axis=1, keepdims=True)
        now = float(np.log(probability[rows, outcome]).sum())
        mean = np.einsum("nk,nkp->np", probability, utilities)
        slope = (utilities[rows, outcome] - mean).sum(axis=0)
        information = np.einsum("nk,nkp,nkq->pq", probability, utilities, utilities, optimize=True) - mean.T @ mean
        if now - height < CLOSE * max(1.0, abs(now)) and np.isfinite(height):
            break
        height = now
        point = point + _inverse(information, systems) @ slope
    point[:systems] -= point[:systems].mean()
    return point, information, probability


def _inverse(information: Floats, systems: int) -> Floats:
    """What inverts the information while the strengths sum to 0: they may all be moved together, which tells nothing.

    That direction is taken out beforehand. A pseudo-inverse would have to guess from a rounding whether it is there.
    """
    free = scipy.linalg.block_diag(scipy.linalg.helmert(systems).T, np.eye(len(information) - systems))
    inverse: Floats = free @ scipy.linalg.pinvh(free.T @ information @ free) @ free.T
    return inverse


def _refuse_endless(systems: int, first: Codes, second: Codes, outcome: Codes) -> None:
    """Without a loss or a tie somewhere a strength has no end."""
    beats = np.concatenate([first[outcome != SECOND], second[outcome != FIRST]])
    beaten = np.concatenate([second[outcome != SECOND], first[outcome != FIRST]])
    graph = scipy.sparse.coo_array((np.ones(len(beats)), (beats, beaten)), shape=(systems, systems))
    groups, _ = scipy.sparse.csgraph.connected_components(graph, directed=True, connection="strong")
    if groups > 1:
        raise NothingToFit(
            why="some systems won, or lost, every comparison with the others, or never met them: "
            "how much stronger they are has no limit"
        )


def _misfit(pairs: Codes, outcome: Codes, probability: Floats) -> tuple[float, int]:
    """Pearson's X^2 of the outcomes of every ordered pair of systems, and its free cells."""
    pair = np.unique(pairs, return_inverse=True)[1]
    total = 0.0
    kinds = probability.shape[1]
    for kind in range(kinds):
        seen = np.bincount(pair, outcome == kind)
        expected = np.bincount(pair, probability[:, kind])
        total += float(((seen - expected) ** 2 / expected).sum())
    return total, (int(pair.max()) + 1) * (kinds - 1)


def _cycles(systems: int, first: Codes, second: Codes, outcome: Codes) -> tuple[int, int]:
    """How many triples of systems that all met are as rock, paper and scissors, by majority; and how many met."""
    ahead = np.zeros((systems, systems))
    np.add.at(ahead, (first, second), (outcome == FIRST).astype(float) - (outcome == SECOND))
    met = np.zeros((systems, systems), dtype=bool)
    met[first, second] = met[second, first] = True
    lead = np.sign(ahead - ahead.T)
    cycles = triples = 0
    for a, b, c in combinations(range(systems), 3):
        if met[a, b] and met[b, c] and met[a, c]:
            triples += 1
            cycles += bool(lead[a, b] == lead[b, c] == lead[c, a] != 0)
    return cycles, triples
