"""Pieces on one process, on two, and on a Dask cluster of two: how much faster, and the same figures everywhere."""

from __future__ import annotations

import time
import warnings
from typing import Any

import numpy as np

from goldmark.jobs.fanout import WorkerPool
from goldmark.simulate.noisy import study, study_table

ROUNDS = 40


def main() -> None:
    alone, expected = _timed(WorkerPool(processes=1))
    print(f"{ROUNDS} crowds, eight models: {alone:.1f} s in one process")
    with WorkerPool(processes=2) as pool:
        _tell("two processes", pool, alone, expected)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from distributed import LocalCluster

        cluster: Any = LocalCluster(  # type: ignore[no-untyped-call]
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        )
    with cluster, WorkerPool(dask=cluster.scheduler_address) as pool:
        _tell("a Dask cluster of two workers", pool, alone, expected)


def _tell(where: str, pool: WorkerPool, alone: float, expected: Any) -> None:
    list(pool.map(_warm_up, range(8)))  # processes start, and import what they need
    seconds, found = _timed(pool)
    print(f"  {where}: {alone / seconds:.2f} times as fast, {'the same' if found == expected else 'OTHER'} figures")


def _warm_up(number: int) -> int:
    study(rng=np.random.default_rng(number), rounds=1)
    return number


def _timed(pool: WorkerPool) -> tuple[float, Any]:
    start = time.perf_counter()
    done = study(rng=np.random.default_rng(1), rounds=ROUNDS, pool=pool)
    return time.perf_counter() - start, study_table(done)


if __name__ == "__main__":
    main()
