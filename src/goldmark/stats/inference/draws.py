"""How often each unit is drawn in each resample.

Every figure draws from a generator of its own, begun from the same seed, so that it does not depend on which others are
computed with it. Figures of one campaign therefore draw the same texts, items and people again and again. Within
`remembering` they are drawn once: a generator in the state of an earlier one gets what that one got, and goes on from
where it went.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np
from numpy.typing import NDArray

Times = NDArray[np.uint8]  # to be drawn more than 255 times is less likely than 1 in 10^500
MOST = 1 << 26  # draws that are remembered at most, of a byte each
AT_ONCE = 1 << 16  # so few that they stay near the processor while they are counted


class _Memory:
    """Draws, each with the state in which it leaves its generator."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, int, bytes], tuple[Times, Any]] = {}
        self._size = 0

    def times_drawn(self, units: int, rows: int, rng: np.random.Generator) -> Times:
        key = units, rows, pickle.dumps(rng.bit_generator.state)
        if key in self._known:
            known, rng.bit_generator.state = self._known[key]
            return known
        times = _times_drawn(units, rows, rng)
        if self._size + times.size <= MOST:
            self._known[key] = times, rng.bit_generator.state
            self._size += times.size
        return times


_MEMORY: ContextVar[_Memory | None] = ContextVar("draws", default=None)


@contextmanager
def remembering() -> Iterator[None]:
    """Draws are remembered up to the end of this, here and nowhere else."""
    token = _MEMORY.set(_MEMORY.get() or _Memory())
    try:
        yield
    finally:
        _MEMORY.reset(token)


def times_drawn(units: int, rows: int, rng: np.random.Generator) -> Times:
    """How often each unit is drawn, with replacement and as often as there are units: resamples x units."""
    memory = _MEMORY.get()
    return _times_drawn(units, rows, rng) if memory is None else memory.times_drawn(units, rows, rng)


def _times_drawn(units: int, rows: int, rng: np.random.Generator) -> Times:
    times = np.empty((rows, units), dtype=np.uint8)
    step = max(1, AT_ONCE // units)
    for start in range(0, rows, step):
        some = times[start : start + step]
        drawn = rng.integers(0, units, size=some.shape)
        drawn += np.arange(len(some))[:, None] * units
        some[:] = np.bincount(drawn.ravel(), minlength=some.size).reshape(some.shape)
    return times
