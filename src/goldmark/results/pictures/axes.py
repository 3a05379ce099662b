"""An axis with round ticks, whose ends are round too or those of the scale that people answered on."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)


@dataclass(frozen=True)
class Axis:
    low: float
    high: float
    ticks: tuple[float, ...]

    def at(self, value: float, start: float, length: float) -> float:
        """Where a value lies on an axis that starts at `start` and is so long."""
        return start + length * (value - self.low) / (self.high - self.low)

    def label(self, tick: float) -> str:
        return (f"{tick:,.0f}" if abs(tick) >= 1000 else f"{tick:.10g}").replace("-", "−")


SHARES = Axis(0.0, 1.0, (0.0, 0.25, 0.5, 0.75, 1.0))


def axis_for(values: Iterable[float], scale: tuple[float, float] | None = None, most: int = 6) -> Axis:
    """An axis on which all values lie: the whole scale if there is one, 0 to 1 for what lies there, else from 0."""
    known = [value for value in values if math.isfinite(value)]
    if scale is not None and scale[0] < scale[1]:
        known += scale
        low, high = min(known), max(known)
        if (low, high) == scale:
            return SHARES if scale == (0.0, 1.0) else Axis(low, high, _ticks(low, high, most))
    low, high = min(known, default=0.0), max(known, default=1.0)
    if low >= 0 and high <= 1:
        return SHARES
    return round_axis(min(low, 0.0), max(high, 0.0), most)


def round_axis(low: float, high: float, most: int = 6) -> Axis:
    """The narrowest axis with round ends that holds both."""
    # What is as good as one number has no ends to round.
    same = high - low <= 1e-6 * max(1.0, abs(low), abs(high))
    step = 1.0 if same else step_for(high - low, most)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    last = max(last, first + 1)
    return Axis(_round(first * step), _round(last * step), tuple(_round(n * step) for n in range(first, last + 1)))


def step_for(span: float, most: int = 6) -> float:
    """The smallest round step that needs at most so many ticks."""
    rough = span / max(1, most - 1)
    power = 10.0 ** math.floor(math.log10(rough))
    return next(step * power for step in STEPS if step * power >= rough * (1 - 1e-9))


def _ticks(low: float, high: float, most: int) -> tuple[float, ...]:
    """Round numbers within the ends of a scale, and the ends themselves."""
    step = step_for(high - low, most + 1)
    if low == int(low) and high == int(high):
        step = max(1.0, step)  # a scale from 1 to 4 has nothing at 1.5
    inside = [_round(n * step) for n in range(math.ceil(low / step), math.floor(high / step) + 1)]
    kept = [tick for tick in inside if min(tick - low, high - tick) >= step / 2]
    return (low, *kept, high)


def _round(value: float) -> float:
    return round(value, 12) + 0.0
