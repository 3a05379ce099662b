"""One label per item from several annotators' labels: the labels, the finished result, and the majority vote.

The models that learn whom to trust (Dawid-Skene, one-coin, MACE; GLAD, which learns as well how hard items are) are in
`goldmark.stats.models.latent_truth` and `glad`. All take `Labels` and return `Aggregated`. Nothing is stored per
annotator and item; cost grows with the number of labels.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from goldmark.errors import GoldmarkError, Missing
from goldmark.records.figures import Figure, counted
from goldmark.stats.inference.proportions import exact_interval
from goldmark.stats.models.log_gamma import Floats, Ints

Names = Sequence[Any] | NDArray[Any]  # of anything hashable

SAME = 1e-9  # probabilities closer than this are a tie, not a decision


class NoLabels(GoldmarkError):
    code = "AGGREGATE-01"
    message = "there is no label to aggregate ({rows}, all without a label)"


class ColumnsDiffer(GoldmarkError):
    code = "AGGREGATE-02"
    message = "{items}, {annotators} and {labels}; each label needs its item and its annotator"


class NoSuchAnnotator(Missing):
    code = "AGGREGATE-03"
    message = "no label is by {annotator!r}"


class NoConfusionMatrix(GoldmarkError):
    code = "AGGREGATE-04"
    message = "{method} does not estimate confusion matrices; dawid-skene does"


@dataclass(frozen=True)
class ItemLabels:
    """Who said what of which item. Names are sorted, so that the order of rows changes nothing."""

    items: tuple[Hashable, ...]
    annotators: tuple[Hashable, ...]
    values: tuple[Hashable, ...]
    item: Ints  # per label, a position in `items`
    annotator: Ints
    value: Ints
    skipped: int = 0  # rows without a label

    @classmethod
    def of(cls, items: Names, annotators: Names, labels: Names) -> ItemLabels:
        """From three columns of equal length; where the label is None there is none, and the row is left out."""
        if not len(items) == len(annotators) == len(labels):
            raise ColumnsDiffer(
                items=counted(len(items), "item"),
                annotators=counted(len(annotators), "annotator"),
                labels=counted(len(labels), "label"),
            )
        skipped = 0
        if not isinstance(labels, np.ndarray) and any(label is None for label in labels):
            kept = [row for row, label in enumerate(labels) if label is not None]
            skipped = len(labels) - len(kept)
            items, annotators, labels = ([column[row] for row in kept] for column in (items, annotators, labels))
        if not len(labels):
            raise NoLabels(rows=counted(skipped, "row"))
        (of_items, item), (of_annotators, annotator), (of_labels, value) = map(_coded, (items, annotators, labels))
        return cls(of_items, of_annotators, of_labels, item, annotator, value, skipped)

    def __len__(self) -> int:
        return len(self.value)

    @property
    def repeated(self) -> int:
        """How many labels repeat an item for an annotator; each counts, as one more look at it."""
        pairs = self.item * len(self.annotators) + self.annotator
        return len(pairs) - len(np.unique(pairs))

    @cached_property
    def votes(self) -> Floats:
        """Items x values: how many labels say so."""
        size = len(self.items), len(self.values)
        cells = np.bincount(self.item * size[1] + self.value, minlength=size[0] * size[1])
        return cells.reshape(size).astype(float)

    @cached_property
    def sayings(self) -> LabelValues:
        """Every (annotator, value) that occurs, for models of how each annotator uses each value."""
        saying, of_label = _distinct(self.annotator * len(self.values) + self.value)
        annotator, value = np.divmod(saying, len(self.values))
        first = np.searchsorted(annotator, np.arange(len(self.annotators)))
        return LabelValues(self, annotator, value, first, of_label)


@dataclass(frozen=True)
class LabelValues:
    """Every (annotator, value) that occurs, in order, and in which labels."""

    labels: ItemLabels = field(repr=False)
    annotator: Ints
    value: Ints
    first: Ints  # per annotator, their first saying
    of_label: Ints

    def per_annotator(self, amounts: Floats) -> Floats:
        """Sums over each annotator's sayings."""
        return np.asarray(np.add.reduceat(amounts, self.first, axis=0))

    @cached_property
    def often(self) -> Floats:
        """How often each saying was made."""
        return np.bincount(self.of_label, minlength=len(self.value)).astype(float)

    @cached_property
    def by_item(self) -> sparse.csr_array:
        """Items x sayings: how often."""
        return self._matrix(self.labels.item, len(self.labels.items))

    @cached_property
    def to_item(self) -> sparse.csr_array:
        return self.by_item.T.tocsr()

    @cached_property
    def by_cell(self) -> sparse.csr_array:
        """(Item, value) x sayings: how often; nonzero only where the saying says that value."""
        values = len(self.labels.values)
        return self._matrix(self.labels.item * values + self.labels.value, len(self.labels.items) * values)

    @cached_property
    def to_cell(self) -> sparse.csr_array:
        return self.by_cell.T.tocsr()

    def _matrix(self, rows: Ints, number: int) -> sparse.csr_array:
        shape = number, len(self.value)
        short = np.int32 if max(*shape, len(rows)) < 2**31 else np.int64
        return sparse.csr_array((np.ones(len(rows)), (rows.astype(short), self.of_label.astype(short))), shape=shape)


def _distinct(codes: Ints) -> tuple[Ints, Ints]:
    """np.unique with its inverse, by counting instead of sorting where the codes lie close together."""
    low = int(codes.min())
    width = int(codes.max()) - low + 1
    if width > 4 * len(codes) + 1_000:
        distinct, places = np.unique(codes, return_inverse=True)
        return distinct, places
    present = np.bincount(codes - low, minlength=width) > 0
    return np.flatnonzero(present) + low, (np.cumsum(present) - 1)[codes - low]


def _coded(values: Names) -> tuple[tuple[Hashable, ...], Ints]:
    """The distinct values in order, and for each value its place among them."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "iu":
        distinct, codes = _distinct(values.astype(np.int64))
        return tuple(distinct.tolist()), codes
    known = set(values)
    try:
        names = sorted(known)
    except TypeError:  # of several types, which do not compare
        names = sorted(known, key=lambda name: (type(name).__name__, str(name)))
    places = {name: place for place, name in enumerate(names)}
    return tuple(names), np.fromiter(map(places.__getitem__, values), dtype=np.int64, count=len(values))


class Convergence(NamedTuple):
    """How a model's search ended: of all starts the best one's likelihood (or its bound, for MACE)."""

    converged: bool
    iterations: int
    log_likelihood: float
    starts: tuple[float, ...]  # the likelihood each start reached


@dataclass(frozen=True)
class Aggregated:
    """A finished aggregation: what is believed of each item and of each annotator."""

    method: str
    labels: ItemLabels
    posterior: Floats  # items x values; for the majority vote, the shares of votes
    reliability: Floats  # per annotator; what it means depends on the method
    reliability_means: str
    shares: Floats | None = None  # how frequent each value is thought to be among items
    ending: Convergence | None = None  # None where there was nothing to search
    said: Floats | None = field(
        default=None, repr=False
    )  # per saying x true value: P(saying | truth), Dawid-Skene only
    difficulty: Floats | None = None  # per item, 1 / clearness, GLAD only

    @cached_property
    def best(self) -> NDArray[np.bool_]:
        """Items x values: the most probable value of each item, several where they tie."""
        return np.asarray(self.posterior >= self.posterior.max(axis=1, keepdims=True) - SAME)

    @cached_property
    def tied(self) -> tuple[Hashable, ...]:
        """The items whose most probable values tie."""
        return tuple(self.labels.items[place] for place in np.flatnonzero(self.best.sum(axis=1) > 1))

    def chosen(self) -> dict[Hashable, Hashable | None]:
        """The label of each item; None where there is a tie, for nobody to break unseen."""
        tie = self.best.sum(axis=1) > 1
        places = self.posterior.argmax(axis=1)
        return {
            item: None if tie[row] else self.labels.values[places[row]] for row, item in enumerate(self.labels.items)
        }

    def confusion(self, annotator: Hashable) -> Floats:
        """True value x said value: how this annotator labels items of each true value. Rows sum to 1."""
        if self.said is None:
            raise NoConfusionMatrix(method=self.method)
        place = self._places.get(annotator)
        if place is None:
            raise NoSuchAnnotator(annotator=annotator)
        sayings = self.labels.sayings
        own = slice(*np.searchsorted(sayings.annotator, [place, place + 1]))
        matrix = np.zeros((len(self.labels.values), len(self.labels.values)))
        matrix[:, sayings.value[own]] = self.said[own].T
        return matrix

    @cached_property
    def _places(self) -> dict[Hashable, int]:
        return {annotator: place for place, annotator in enumerate(self.labels.annotators)}

    def accuracy(self, truth: Mapping[Any, Hashable]) -> Figure:
        """The share of items with a known truth that got it; a tie of m values that holds the truth counts 1/m.

        That is what breaking ties at random gives on average. The interval treats items as independent.
        """
        values = {value: place for place, value in enumerate(self.labels.values)}
        known = [row for row, item in enumerate(self.labels.items) if item in truth]
        if not known:
            return Figure(None, reason="no item has a known truth", used=0, skipped=len(self.labels.items))
        ways = self.best.sum(axis=1)
        credit = 0.0
        for row in known:
            place = values.get(truth[self.labels.items[row]])
            if place is not None and self.best[row, place]:
                credit += 1 / int(ways[row])
        return Figure(
            credit / len(known),
            exact_interval(credit, len(known)),
            used=len(known),
            skipped=len(self.labels.items) - len(known),
        )


def majority(labels: ItemLabels) -> Aggregated:
    """The value most annotators gave. Reliability: the share of an annotator's labels on the winning side."""
    shares = labels.votes / labels.votes.sum(axis=1, keepdims=True)
    found = Aggregated("majority", labels, shares, np.empty(0), "share of labels that agree with the majority")
    # Where m values tie, siding with one of them counts 1/m: what breaking ties at random gives on average.
    credit = (found.best / found.best.sum(axis=1, keepdims=True))[labels.item, labels.value]
    number = len(labels.annotators)
    agreed = np.bincount(labels.annotator, credit, minlength=number) / np.bincount(labels.annotator, minlength=number)
    return Aggregated("majority", labels, shares, agreed, found.reliability_means, shares=shares.mean(axis=0))
