"""What judgements say of the means of systems, and how far these would move with other items and other people.

Both the items and the people could have been others. So a variance is that of a mean with two crossed clusters, items +
people - single labels (Cameron, Gelbach and Miller 2011): judgements hang together if they share an item or a person,
and every two of them that do count once. It asks nothing else of the design: people may judge all systems or one of
them, and may favour some.

Deviations are taken from a mean that was estimated from the same judgements, which makes such a variance too small by
the share of pairs that hang together. In a balanced design that share is all that is missing, whatever the effects of
items and people are, so it is divided out: V / (1 - Q), Q the same sum with weights in the place of deviations. With
all people on all items that is (1 - 1/items)(1 - 1/people).

Everything is kept as small tables systems x systems, so a difference of two systems costs no more than a mean.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from goldmark.records.tidy.coded import Codes
from goldmark.stats.ranks.judgements import Floats, Judgements

Truths = NDArray[np.bool_]
SPARSE = 20  # a table systems x clusters with this many times more cells than judgements is mostly empty
ROUNDING = 1e-13
FEWEST = 1.5  # a mean over fewer items or people than that in effect tells nothing of others


class Shared(NamedTuple):
    """Sums over clusters, for every two systems: of products of their deviations, and of their weights."""

    parts: Floats
    weights: Floats

    def variance(self) -> Floats:
        """As if these clusters alone hung together."""
        return _without_bias(self.parts, self.weights)

    def take(self, places: Codes) -> Shared:
        at = np.ix_(places, places)
        return Shared(self.parts[at], self.weights[at])


class ClusteredSpread(NamedTuple):
    """Variances with their degrees of freedom (Satterthwaite 1946); NaN where nothing can be said."""

    variance: Floats
    freedom: Floats
    clusters: Floats  # how many items or people there are in effect, whichever are fewer
    few_items: Truths
    few_people: Truths

    def in_the_tails(self) -> Floats:
        """Fewer degrees of freedom, for p-values that are to be corrected for many pairs.

        Satterthwaite's are right near 5 % and too many far out, where a small variance of few people is what makes a
        difference look large. Two thirds of the way to the fewest clusters, on the scale of logarithms, the
        simulations of `benchmarks.coverage` hold.
        """
        fewest = np.minimum(self.freedom, self.clusters - 1)
        found: Floats = np.cbrt(self.freedom * fewest**2)
        return found


@dataclass(frozen=True, eq=False)
class SystemEvidence:
    """Scores of systems, and the sums from which their variances and those of their differences are made."""

    value: Floats  # one per system, NaN where nobody judged
    means: Floats  # systems x items, NaN where there is no score
    items: Shared
    people: Shared | None  # none where people are taken as they are, or nobody knows who judged
    labels: Shared | None
    paired: bool = True  # every item counts alike, so that differences can be taken on shared items alone

    def take(self, places: Codes) -> SystemEvidence:
        """Of some systems only."""
        return SystemEvidence(
            self.value[places],
            self.means[places],
            self.items.take(places),
            None if self.people is None else self.people.take(places),
            None if self.labels is None else self.labels.take(places),
            self.paired,
        )

    def covariance(self) -> Floats:
        """Of the scores of every two systems."""
        if self.people is None or self.labels is None:
            return self.items.variance()
        parts = self.items.parts + self.people.parts - self.labels.parts
        return _without_bias(parts, self.items.weights + self.people.weights - self.labels.weights)

    def spread(self) -> ClusteredSpread:
        """Of each score."""
        own = Shared(np.diag(self.items.parts), np.diag(self.items.weights))
        if self.people is None or self.labels is None:
            return _one_way(own)
        return _two_way(
            own.variance(),
            np.diag(self.people.variance()),
            np.diag(self.covariance()),
            _freedom(own.weights),
            _freedom(np.diag(self.people.weights)),
        )

    def differences(self) -> tuple[Floats, Floats, ClusteredSpread]:
        """Of every two systems: the difference, on how many items, and its spread.

        Where two systems share at least two items it is the mean difference on these, else that of their scores.
        """
        present = (~np.isnan(self.means)).astype(np.float64)
        shared = present @ present.T
        on_shared = (shared >= 2) & self.paired
        gap = self.value[:, None] - self.value[None, :]
        items = [_first(self.items), _second(self.items), self.items]
        if self.paired:
            gap, items = self._on_shared_items(present, shared, on_shared, gap, items)
        alone = _of_difference(*(one.variance() for one in items))
        item_freedom = _pair_freedom(*items)
        if self.people is None or self.labels is None:
            return gap, shared, _checked(alone, item_freedom, item_freedom, None)
        people = [_first(self.people), _second(self.people), self.people]
        labels = [_first(self.labels), _second(self.labels), self.labels]
        both = _of_difference(
            *(
                _without_bias(i.parts + p.parts - one.parts, i.weights + p.weights - one.weights)
                for i, p, one in zip(items, people, labels, strict=True)
            )
        )
        return (
            gap,
            shared,
            _two_way(
                alone,
                _of_difference(*(one.variance() for one in people)),
                both,
                item_freedom,
                _pair_freedom(*people),
            ),
        )

    def _on_shared_items(
        self, present: Floats, shared: Floats, on_shared: Truths, gap: Floats, items: list[Shared]
    ) -> tuple[Floats, list[Shared]]:
        centre = np.where(np.isnan(self.value), 0.0, self.value)
        centred = np.where(present > 0, self.means - centre[:, None], 0.0)
        n = np.where(on_shared, shared, 1.0)
        total = centred @ present.T  # of the first system, on the items of the second
        squares = (centred**2) @ present.T
        gap = np.where(on_shared, centre[:, None] - centre[None, :] + (total - total.T) / n, gap)
        first = (squares - total**2 / n) / n**2
        products = (centred @ centred.T - total * total.T / n) / n**2
        made = (np.maximum(first, 0.0), np.maximum(first.T, 0.0), products)
        return gap, [
            Shared(np.where(on_shared, parts, own.parts), np.where(on_shared, 1 / n, own.weights))
            for parts, own in zip(made, items, strict=True)
        ]


def evidence(judged: Judgements, *, by_item: bool = True, people: bool = True) -> SystemEvidence:
    """Count together. `by_item`: every item of a system counts alike, else every judgement."""
    systems = len(judged.systems)
    count = judged.cells()[1]
    own = (count > 0).sum(axis=1) if by_item else count.sum(axis=1)
    weight = np.asarray(1 / own[judged.system], dtype=np.float64)
    if by_item:
        weight = weight / count[judged.system, judged.item]
    value = _values(judged, by_item)
    part = weight * (judged.score - value[judged.system])

    def shared(cluster: Codes, clusters: int) -> Shared:
        return Shared(*(_products(judged.system, cluster, one, (systems, clusters)) for one in (part, weight)))

    crossed = people and len(judged.annotators) > 1
    label, names = judged.item * max(1, len(judged.annotators)) + judged.annotator, 0
    if crossed:
        different, label = np.unique(label, return_inverse=True)
        names = len(different)
    return SystemEvidence(
        value,
        judged.item_means(),
        shared(judged.item, len(judged.items)),
        shared(judged.annotator, len(judged.annotators)) if crossed else None,
        shared(label, names) if crossed else None,
        by_item,
    )


def _values(judged: Judgements, by_item: bool) -> Floats:
    """The score of each system: the mean of its item means, or of its judgements."""
    total, count = judged.cells()
    found = np.full(len(total), np.nan)
    for one, (sums, counts) in enumerate(zip(total, count, strict=True)):
        judged_items = counts > 0
        if judged_items.any():
            above, below = sums[judged_items], counts[judged_items]
            found[one] = (above / below).mean() if by_item else above.sum() / below.sum()
    return found


def _products(system: Codes, cluster: Codes, part: Floats, shape: tuple[int, int]) -> Floats:
    """Parts added up by system and cluster, and of these the products of every two systems, added up."""
    if shape[0] * shape[1] <= SPARSE * len(part):
        sums = np.bincount(system * shape[1] + cluster, weights=part, minlength=shape[0] * shape[1])
        dense = np.asarray(sums, dtype=np.float64).reshape(shape)
        return np.asarray(dense @ dense.T, dtype=np.float64)
    from scipy.sparse import csr_array

    table = csr_array((part, (system, cluster)), shape=shape)
    return np.asarray((table @ table.T).toarray(), dtype=np.float64)


def _without_bias(parts: Floats, weights: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(weights < 1 - 1e-9, parts / (1 - weights), np.nan)


def _freedom(weights: Floats) -> Floats:
    """As many as there are clusters in effect, less one: 1 / the sum of their squared weights."""
    with np.errstate(divide="ignore"):
        return 1 / weights - 1


def _pair_freedom(first: Shared, second: Shared, both: Shared) -> Floats:
    """Of a difference: those of one system if both share their clusters, Welch's (1947) if they share none."""
    one, other = _freedom(first.weights), _freedom(second.weights)
    fewer = np.minimum(one, other)
    with np.errstate(divide="ignore", invalid="ignore"):
        alike = np.clip(both.weights / np.sqrt(first.weights * second.weights), 0.0, 1.0)
        v, w = first.variance(), second.variance()
        welch = (v + w) ** 2 / (v**2 / one + w**2 / other)
        found: Floats = alike * fewer + (1 - alike) * np.where(np.isfinite(welch), welch, fewer)
    return np.where(fewer < FEWEST - 1, np.nan, found)


def _first(own: Shared) -> Shared:
    return Shared(*(np.broadcast_to(np.diag(one)[:, None], one.shape) for one in own))


def _second(own: Shared) -> Shared:
    return Shared(*(np.broadcast_to(np.diag(one)[None, :], one.shape) for one in own))


def _of_difference(first: Floats, second: Floats, both: Floats) -> Floats:
    found = first + second - 2 * both
    # Equal scores leave a spread of rounding errors only, which is none.
    return np.where(np.abs(found) <= ROUNDING * (first + second), 0.0, found)


def _one_way(own: Shared) -> ClusteredSpread:
    return _checked(own.variance(), _freedom(own.weights), _freedom(own.weights), None)


def _two_way(
    items: Floats, people: Floats, both: Floats, item_freedom: Floats, people_freedom: Floats
) -> ClusteredSpread:
    """Never less than items or people alone would give: a sum of three parts may come out below."""
    variance = np.fmax(both, np.fmax(items, people))
    with np.errstate(divide="ignore", invalid="ignore"):
        freedom = variance**2 / (items**2 / item_freedom + people**2 / people_freedom)
    return _checked(variance, freedom, item_freedom, people_freedom)


def _checked(variance: Floats, freedom: Floats, item_freedom: Floats, people_freedom: Floats | None) -> ClusteredSpread:
    few_items = ~(item_freedom >= FEWEST - 1)
    few_people = np.zeros_like(few_items) if people_freedom is None else ~(people_freedom >= FEWEST - 1)
    known = ~(few_items | few_people)
    fewer = item_freedom if people_freedom is None else np.minimum(item_freedom, people_freedom)
    variance, freedom, clusters = (np.where(known, one, np.nan) for one in (variance, freedom, fewer + 1))
    return ClusteredSpread(variance, freedom, clusters, few_items, few_people)
