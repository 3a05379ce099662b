"""Judgements of systems' outputs: whose output, on which item, by whom, with which score.

They are held in an order of their own, by name, so that whatever is made from them is the same to the last digit
however the rows of a file were ordered and whatever numbers a database gave to its systems.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from goldmark.records.tidy.coded import Coded, Codes

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Judgements:
    """One number per label. Rows are ordered by system, item, annotator and score; codes are places among the names."""

    systems: tuple[str, ...]
    items: tuple[str, ...]  # those that have a score
    annotators: tuple[str, ...]  # those who gave a score; empty where nobody knows who did
    system: Codes
    item: Codes
    annotator: Codes
    score: Floats

    @classmethod
    def of(
        cls, systems: Sequence[str], items: Sequence[str], annotators: Sequence[str] | None, scores: ArrayLike
    ) -> Judgements:
        """From columns of equal length. NaN is no score; a system that has nothing else stays, without a judgement."""
        score = np.asarray(scores, dtype=np.float64)
        known = ~np.isnan(score)
        names, system = by_name(systems)
        item_names, item = by_name(Coded.of(items).take(known))
        people: tuple[str, ...] = ()
        annotator = np.zeros(len(item), dtype=np.int64)
        if annotators is not None:
            people, annotator = by_name(Coded.of(annotators).take(known))
        score, system = score[known], system[known]
        order = np.lexsort((score, annotator, item, system))
        return cls(
            names, item_names, people, system[order], item[order], annotator[order], np.ascontiguousarray(score[order])
        )

    def __len__(self) -> int:
        return len(self.score)

    def starts(self) -> list[int]:
        """Where each system's rows begin, and where the last one's end."""
        found: list[int] = np.searchsorted(self.system, np.arange(len(self.systems) + 1)).tolist()
        return found

    def cells(self) -> tuple[Floats, Codes]:
        """The sum of scores and the number of labels of each system on each item: two tables, systems x items."""
        shape = len(self.systems), len(self.items)
        cell = self.system * shape[1] + self.item
        total = np.bincount(cell, weights=self.score, minlength=shape[0] * shape[1]).astype(np.float64)
        count = np.bincount(cell, minlength=shape[0] * shape[1])
        return total.reshape(shape), count.reshape(shape)

    def item_means(self) -> Floats:
        """The mean score of each system on each item: systems x items, NaN where there is none."""
        total, count = self.cells()
        with np.errstate(invalid="ignore"):
            means: Floats = total / np.where(count, count, np.nan)
        return means


def by_name(names: Sequence[str]) -> tuple[tuple[str, ...], Codes]:
    """The different names in order, and the place of each row's name among them."""
    coded = Coded.of(names)
    different, place = places_by_name(coded)
    return different, place[coded.codes]


def places_by_name(coded: Coded) -> tuple[tuple[str, ...], Codes]:
    """The different names in order, and of each code the place of its name among them."""
    present = np.flatnonzero(np.bincount(coded.codes, minlength=len(coded.names))).tolist()
    named = sorted((coded.names[code], code) for code in present)
    place = np.zeros(len(coded.names), dtype=np.int64)
    place[[code for _, code in named]] = np.arange(len(named))
    return tuple(name for name, _ in named), place


def standardise(annotators: Sequence[str], scores: ArrayLike) -> Floats:
    """Each score as standard deviations from its annotator's mean; NaN where an annotator's scores do not vary.

    The standard deviation is that of a sample (n - 1), over all that the annotator judged, as WMT computes it. Scores
    that are NaN count for nothing and stay so.
    """
    given = np.asarray(scores, dtype=np.float64)
    names, code = by_name(annotators)
    people = len(names)
    # Summed in an order that depends on nothing but the scores themselves.
    rows = np.lexsort((given, code))
    rows = rows[~np.isnan(given[rows])]
    annotator, score = code[rows], given[rows]
    count = np.bincount(annotator, minlength=people)
    mean = np.bincount(annotator, weights=score, minlength=people) / np.maximum(count, 1)
    centred = score - mean[annotator]
    variance = np.bincount(annotator, weights=centred**2, minlength=people) / np.maximum(count - 1, 1)
    spread = np.sqrt(variance)
    # Equal scores may leave a spread of rounding errors only, which is none.
    spread[(count < 2) | (spread <= 1e-12 * np.maximum(1.0, np.abs(mean)))] = np.nan
    standardised = np.full(len(given), np.nan)
    standardised[rows] = centred / spread[annotator]
    return standardised
