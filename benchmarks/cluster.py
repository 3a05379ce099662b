"""Pieces in one process, in two, and on a Dask cluster of one worker and of two: the same figures, and what it costs.

On a machine with other work seconds by the clock say how much of it was free. What says whether pieces spread is the
processor time: if two workers need together as much as one, and nobody else needs any, then twice as many workers take
half as long wherever there are cores for them. So that is told: what all processes that compute spent, what this
process spent on handing pieces out and gathering what comes back, and how evenly the pieces went.

`GOLDMARK_BENCH_ROUNDS` says how many pieces there are (40 unless told).
"""

from __future__ import annotations

import os
import time
import warnings
from typing import Any

import numpy as np
import psutil

from goldmark.jobs.fanout import WorkerPool
from goldmark.simulate.noisy import study, study_table

ROUNDS = int(os.environ.get("GOLDMARK_BENCH_ROUNDS", "40"))


def main() -> None:
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # one piece, one core
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    began, spent = time.perf_counter(), time.process_time()
    expected = _figures(WorkerPool(processes=1))
    alone = time.process_time() - spent
    seconds = time.perf_counter() - began
    print(
        f"{ROUNDS} crowds, eight models, in this process: {alone:.1f} s of processor time, {seconds:.1f} s by the clock"
    )
    with WorkerPool(processes=2) as pool:
        _tell("two processes", pool, alone, expected)
    for workers in (1, 2):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from distributed import LocalCluster

            cluster: Any = LocalCluster(  # type: ignore[no-untyped-call]
                n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None
            )
        with cluster, WorkerPool(dask=cluster.scheduler_address) as pool:
            _tell(f"a Dask cluster, workers: {workers}", pool, alone, expected)


def _tell(where: str, pool: WorkerPool, alone: float, expected: Any) -> None:
    list(pool.map(_warm_up, range(8)))  # processes start, and import what they need
    before, here, began = _spent(), time.process_time(), time.perf_counter()
    same = "the same" if _figures(pool) == expected else "OTHER"
    seconds, here = time.perf_counter() - began, time.process_time() - here
    each = sorted((after - before.get(pid, 0.0) for pid, after in _spent().items()), reverse=True)
    each = [one for one in each if one > 0.1 * max(each)]
    print(
        f"  {where}: {sum(each):.1f} s of processor time ({sum(each) / alone:.2f} of alone; each "
        f"{', '.join(f'{one:.1f}' for one in each)}), {1000 * here / ROUNDS:.0f} ms a piece to hand out and gather, "
        f"{seconds:.1f} s by the clock; with a core for each {alone / (max(each) + here):.2f} times as fast; "
        f"{same} figures",
        flush=True,
    )


def _warm_up(number: int) -> int:
    study(rng=np.random.default_rng(number), rounds=1)
    return number


def _figures(pool: WorkerPool) -> Any:
    return study_table(study(rng=np.random.default_rng(1), rounds=ROUNDS, pool=pool))


def _spent() -> dict[int, float]:
    """Processor time of everybody who computes for this process."""
    found = {}
    for one in psutil.Process().children(recursive=True):
        times = one.cpu_times()
        found[one.pid] = float(times.user + times.system)
    return found


if __name__ == "__main__":
    main()
