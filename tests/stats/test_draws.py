"""How often each unit is drawn: remembered draws are the same draws."""

from __future__ import annotations

import numpy as np

from goldmark.stats.inference import draws
from goldmark.stats.inference.draws import remembering, times_drawn


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_every_resample_draws_as_many_as_there_are_units() -> None:
    times = times_drawn(7, 50_000, rng())  # more than are counted at once
    assert times.shape == (50_000, 7)
    assert (times.sum(axis=1) == 7).all()
    assert np.abs(times.mean(axis=0) - 1).max() < 0.02


def test_remembered_draws_are_those_that_would_have_been_made() -> None:
    generator = rng()
    plain = [times_drawn(30, 20, generator) for _ in range(2)]
    with remembering():
        for _ in range(3):
            generator = rng()
            for known in plain:  # the second draw too: a generator goes on from where the remembered one went
                assert np.array_equal(times_drawn(30, 20, generator), known)
        assert times_drawn(30, 20, rng()) is times_drawn(30, 20, rng())
        assert not np.array_equal(times_drawn(30, 20, rng(2)), plain[0])
    assert times_drawn(30, 20, rng()) is not times_drawn(30, 20, rng())


def test_no_more_is_remembered_than_there_is_room_for() -> None:
    assert draws.MOST == 1 << 26
    with remembering():
        memory = draws._MEMORY.get()
        assert memory is not None
        memory._size = draws.MOST - 10
        assert times_drawn(30, 20, rng()) is not times_drawn(30, 20, rng())
        assert memory._size == draws.MOST - 10


def test_remembering_within_remembering_shares_the_memory() -> None:
    with remembering():
        first = times_drawn(5, 4, rng())
        with remembering():
            assert times_drawn(5, 4, rng()) is first
        assert times_drawn(5, 4, rng()) is first
