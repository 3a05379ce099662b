"""Pieces of a job on processes and on a cluster: the same results, in order, whoever computes them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from goldmark.jobs.fanout import ClusterUnreachable, WorkerPool, WorkerPoolLost
from goldmark.simulate.noisy import MODELS, study, study_table
from tests.jobs.pieces import die, doze, square, stumble

PIECES = list(range(7))


@pytest.fixture(scope="module")
def processes() -> Iterator[WorkerPool]:
    with WorkerPool(processes=2) as pool:
        yield pool


@pytest.fixture(scope="module")
def cluster() -> Iterator[WorkerPool]:
    """A scheduler and one worker of two threads, inside this process, found by their address like any other."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        distributed: Any = pytest.importorskip("distributed")
        local = distributed.LocalCluster(
            n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None, protocol="tcp"
        )
        with WorkerPool(dask=local.scheduler_address) as pool:
            yield pool
        local.close()


@pytest.fixture(params=["alone", "processes", "cluster"])
def pool(request: pytest.FixtureRequest) -> Any:
    return WorkerPool(processes=1) if request.param == "alone" else request.getfixturevalue(request.param)


def test_results_come_in_the_order_of_the_pieces(pool: WorkerPool) -> None:
    assert list(pool.map(square, PIECES)) == [number * number for number in PIECES]
    assert list(pool.map(square, [])) == []


def test_small_pieces_travel_together(
    processes: WorkerPool, cluster: WorkerPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first go alone, to see how long they take; then many, but never so many that somebody has nothing to do."""
    pieces = range(2000)
    for pool in (processes, cluster):
        opened, sent = pool._open(), list[int]()
        submit = opened.submit

        def told(
            function: Any, inner: Any, some: Any, *, sent: list[int] = sent, submit: Any = submit, **more: Any
        ) -> Any:
            sent.append(len(some))
            return submit(function, inner, some, **more)

        monkeypatch.setattr(opened, "submit", told)
        assert list(pool.map(square, pieces)) == [number * number for number in pieces]
        assert sent[:4] == [1, 1, 1, 1]
        assert sum(sent) == len(pieces)
        assert 1 < max(sent) <= len(pieces) / 4
        assert len(sent) < len(pieces) / 4


def test_a_piece_that_fails_fails_the_whole_with_its_own_error(pool: WorkerPool) -> None:
    with pytest.raises(ValueError, match="three"):
        list(pool.map(stumble, PIECES))
    assert list(pool.map(square, [5, 6])) == [25, 36], "the pool can be used again"


def test_a_simulation_comes_out_the_same_wherever_it_is_computed(pool: WorkerPool) -> None:
    done = study(rng=np.random.default_rng(3), rounds=5, models=MODELS[:3], pool=pool)
    assert study_table(done) == study_table(study(rng=np.random.default_rng(3), rounds=5, models=MODELS[:3]))


def test_a_result_that_cannot_be_fetched_is_told(cluster: WorkerPool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The piece was computed; the connection broke before its result was here."""

    async def broken(*_: Any, **__: Any) -> None:
        raise OSError("timed out")

    monkeypatch.setattr(cluster._open(), "_gather", broken)
    with pytest.raises(WorkerPoolLost, match="lost its scheduler"):
        list(cluster.map(square, PIECES))
    assert list(cluster.map(square, [5, 6])) == [25, 36], "the pool can be used again"


@pytest.mark.parametrize("lost", ["a piece on its way there", "the word that it was computed"])
def test_a_message_that_is_lost_is_not_waited_for(
    lost: str, cluster: WorkerPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("goldmark.jobs.fanout.ASK_EVERY", 0.05)
    monkeypatch.setattr("goldmark.jobs.fanout.LOST_AFTER", 0.2)
    client = cluster._open()
    send = client._send_to_scheduler
    if lost == "the word that it was computed":
        monkeypatch.setitem(client._stream_handlers, "key-in-memory", lambda **_: None)
    else:
        monkeypatch.setattr(
            client, "_send_to_scheduler", lambda said: None if said["op"].startswith("update-graph") else send(said)
        )
    with pytest.raises(WorkerPoolLost, match="lost its scheduler"):
        list(cluster.map(square, PIECES))
    assert list(cluster.map(square, [5, 6])) == [25, 36], "the pool can be used again"


def test_what_takes_long_is_waited_for(cluster: WorkerPool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("goldmark.jobs.fanout.ASK_EVERY", 0.05)
    monkeypatch.setattr("goldmark.jobs.fanout.LOST_AFTER", 0.6)
    assert list(cluster.map(doze, [0.8])) == [0.8]


def test_a_client_that_gave_up_on_its_scheduler_is_replaced(cluster: WorkerPool) -> None:
    cluster._open().close()
    assert list(cluster.map(square, [5, 6])) == [25, 36]


def test_how_many_work_at_once(processes: WorkerPool, cluster: WorkerPool) -> None:
    assert (WorkerPool(processes=1).width, processes.width, cluster.width) == (1, 2, 2)


def test_a_process_that_is_killed_is_told_and_the_crew_can_be_used_again() -> None:
    with WorkerPool(processes=2) as pool:
        with pytest.raises(WorkerPoolLost, match="want of memory"):
            list(pool.map(die, PIECES))
        assert list(pool.map(square, [2, 3])) == [4, 9]


def test_an_address_where_nobody_is_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("goldmark.jobs.fanout.CONNECT_WITHIN", 0.2)
    with pytest.raises(ClusterUnreachable, match=r"127\.0\.0\.1:1"):
        list(WorkerPool(dask="tcp://127.0.0.1:1").map(square, PIECES))


def test_the_environment_decides_where_nothing_else_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOLDMARK_PROCESSES", "3")
    assert WorkerPool.from_environment().width == 3
    assert WorkerPool.from_environment(processes=5).width == 5
    monkeypatch.setenv("GOLDMARK_DASK", "tcp://cluster:8786")
    assert WorkerPool.from_environment().dask == "tcp://cluster:8786"
