"""What every analysis may be told, and how it signs its tables."""

from __future__ import annotations

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


def counted(number: int, noun: str) -> str:
    """`1 label`, `2 labels`, `1,200 labels`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def percent(name: str, count: int, total: int | None, level: float) -> dict[str, Cell]:
    """A share in per cent with its exact interval; nothing where there is no whole to be a share of."""
    from goldmark.stats.inference.proportions import exact_interval

    if not total:
        return with_interval(name, None, None)
    low, high, _ = exact_interval(count, total, level)
    return with_interval(name, 100 * count / total, Interval(100 * low, 100 * high, level))
