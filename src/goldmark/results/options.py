"""What every analysis may be told, and how it signs its tables."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from goldmark.records.figures import Figure, Interval, Signature, Undefined
from goldmark.records.tables import Cell


@dataclass(frozen=True)
class AnalysisOptions:
    """Seed, resamples, levels, and the few choices that only some analyses read."""

    resamples: int = 2000
    seed: int = 17
    level: float = 0.95
    alpha: float = 0.05
    baseline: str = ""  # the condition that others are compared with
    chance: float | None = None  # the accuracy of guessing; None: what the protocol says, or one half
    patient: bool = False  # compute also what takes minutes

    def rng(self) -> np.random.Generator:
        return np.random.default_rng(self.seed)

    def signature(self, **parts: object) -> str:
        return str(Signature.of(**parts, resamples=self.resamples, level=self.level, seed=self.seed))


def with_interval(name: str, value: float | None, interval: Interval | Undefined | None) -> dict[str, Cell]:
    """The three cells of a figure: `name`, `name_low`, `name_high`."""
    known = isinstance(interval, Interval) and value is not None
    return {
        name: value,
        f"{name}_low": interval.low if known and isinstance(interval, Interval) else None,
        f"{name}_high": interval.high if known and isinstance(interval, Interval) else None,
    }


def of_figure(figure: Figure) -> dict[str, Cell]:
    """The cells of a figure in a table of figures, one a row."""
    low, high = (figure.interval.low, figure.interval.high) if figure.interval else (None, None)
    return {"value": figure.value, "low": low, "high": high, "n": figure.used, "reason": figure.reason}


def percent(
    name: str, hits: Sequence[bool], items: Sequence[Hashable], level: float, people: Sequence[Hashable] | None = None
) -> dict[str, Cell]:
    """How many of some answers are hits, in per cent, with an interval over items, and over people if they are given.

    Answers about one item hang together, and so do those of one person; nothing where there is no answer.
    """
    from goldmark.stats.ranks.clustered_shares import share_of

    return in_percent(name, share_of(hits, items, people, level))


def in_percent(name: str, found: Figure) -> dict[str, Cell]:
    """The three cells of a share, in per cent."""
    interval = found.interval and Interval(100 * found.interval.low, 100 * found.interval.high, found.interval.level)
    return with_interval(name, None if found.value is None else 100 * found.value, interval)


def exact_percent(name: str, count: int, total: int, level: float) -> dict[str, Cell]:
    """A share of answers that have nothing to do with one another, in per cent with its exact interval."""
    from goldmark.stats.inference.proportions import exact_interval

    if not total:
        return with_interval(name, None, None)
    return in_percent(name, Figure(count / total, exact_interval(count, total, level)))
