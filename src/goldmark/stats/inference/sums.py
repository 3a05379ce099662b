"""The interval of a figure that is made of sums over texts, units or people, such as F1, accuracy or BLEU.

Count per text first and make the figure from the sums: leaving a text out is then a subtraction. The figure without
each of them tells how far it would move with others (the jackknife), and no random numbers are needed. A figure that
lies between 0 and a top is a share in disguise and gets Wilson's interval on as many independent cases as the spread is
worth (`proportions`), so it never leaves its range and has a width at both ends of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from goldmark.records.figures import Figure, Interval, Undefined
from goldmark.stats.inference.jackknife import jackknife, student_interval
from goldmark.stats.inference.proportions import few_texts, spread_interval

Floats = NDArray[np.float64]
OfSums = Callable[[Floats], Floats]  # of each row of sums one figure, NaN where it is undefined
CELLS = 1 << 22  # sums that are held at once


def left_out(counts: Floats, statistic: OfSums) -> Floats:
    """The figure without each row."""
    total = counts.sum(axis=0)
    step = max(1, CELLS // max(1, counts.shape[1]))
    parts = [statistic(total - counts[start : start + step]) for start in range(0, len(counts), step)]
    return np.concatenate(parts) if parts else np.empty(0)


def sums_figure(
    counts: NDArray[np.generic],
    statistic: OfSums,
    *,
    top: float | None = 1.0,
    most: float | None = None,
    level: float = 0.95,
    what: str = "text",
) -> Figure:
    """A figure from sums over rows, each of them a `what`, with its interval.

    `top` is where the figure ends (it begins at 0), or None if it has no ends. `most` is how many single cases it rests
    on, if that is known: a spread that is next to nothing by luck is not believed.
    """
    table = np.asarray(counts, dtype=np.float64)
    rows = len(table)
    value = float(statistic(table.sum(axis=0, keepdims=True))[0]) if rows else math.nan
    if math.isnan(value):
        return Figure(None, reason="there is nothing to divide by" if rows else "there is nothing to count", used=rows)
    alone = ~np.isnan(statistic(table))
    telling = alone if alone.any() else np.ones(rows, dtype=bool)  # a row without a case says nothing
    interval = _interval(value, left_out(table, statistic)[telling], top, most, level, what)
    if isinstance(interval, Undefined):
        return Figure(value, reason=f"no interval: {interval.reason}", used=rows)
    return Figure(value, interval, few_texts(int(telling.sum()), what), used=rows)


def _interval(
    value: float, without: Floats, top: float | None, most: float | None, level: float, what: str
) -> Interval | Undefined:
    spread = jackknife(without, what)
    if isinstance(spread, Undefined):
        return spread
    if top is None or not 0 <= value <= top:
        never = Undefined(f"the same without any {what}, so nothing tells how far it would move")
        return student_interval(value, spread, level) if spread.variance > 0 else never
    share = value / top
    if spread.variance <= 0 and 0 < share < 1 and most is None:
        return Undefined(f"the same without any {what}, so nothing tells how far it would move")
    scaled = spread._replace(variance=spread.variance / top**2)
    low, high, _ = spread_interval(share, scaled, len(without), math.inf if most is None else most, level)
    return Interval(low * top, high * top, level)
