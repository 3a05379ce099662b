"""Jobs: asked for once, done once, by whoever is alive."""

from __future__ import annotations

import threading
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, update

from goldmark.jobs import Job, Running, Worker, enqueue, register
from goldmark.jobs.context import Stopped
from goldmark.jobs.held_job import claim
from goldmark.jobs.queue import (
    NotOpen,
    StillOpen,
    UnknownJob,
    cancel,
    counts,
    find,
    listing,
    rerun,
)
from goldmark.jobs.registry import UnknownJobKind, handler_of
from goldmark.store import Store
from goldmark.store.tables import event, job
from tests.jobs import house


def ask(store: Store, kind: str, **more: Any) -> Job:
    arguments = more.pop("arguments", {})
    return store.write(lambda connection: enqueue(connection, kind, arguments, author="Ada", **more))


def look(store: Store, number: int) -> Job:
    return store.read(lambda connection: find(connection, number))


def silence(store: Store, number: int) -> None:
    """As if the worker had died long ago."""
    past = datetime.now(UTC) - timedelta(hours=1)
    store.write(lambda connection: connection.execute(update(job).where(job.c.id == number).values(heartbeat_at=past)))


def take(store: Store, holder: str) -> Job | None:
    return store.write(lambda connection: claim(connection, holder, datetime.now(UTC), timedelta(seconds=30)))


def test_what_is_asked_for_is_done_and_its_result_is_kept(store: Store) -> None:
    asked = ask(store, "test.add", arguments={"numbers": [1, 2, 39]}, subject="sums")
    assert (asked.state, asked.attempt, asked.share, asked.author) == ("waiting", 0, None, "Ada")
    assert Worker(store).run_until_empty() == 1
    done = look(store, asked.id)
    assert (done.state, done.attempt, done.result, done.error, done.share) == ("done", 1, {"sum": 42}, None, 1.0)
    assert done.started_at is not None
    assert done.finished_at is not None
    assert done.holder is None
    assert Worker(store).run_until_empty() == 0


def test_the_same_key_is_the_same_job_even_when_two_ask_at_once(store: Store) -> None:
    found: list[int] = []
    together = threading.Barrier(8)

    def one() -> None:
        together.wait()
        found.append(ask(store, "test.add", arguments={"numbers": [1]}, key="sum of one").id)

    threads = [threading.Thread(target=one) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert len(set(found)) == 1
    assert ask(store, "test.add").id != ask(store, "test.add").id, "without a key every job is its own"


def test_many_workers_do_every_job_once(store: Store) -> None:
    done: list[int] = []

    @register("test.note")
    def note(running: Running) -> None:
        done.append(running.job.id)

    asked = {ask(store, "test.note").id for _ in range(40)}
    crowd = [threading.Thread(target=Worker(store).run_until_empty) for _ in range(4)]
    for thread in crowd:
        thread.start()
    for thread in crowd:
        thread.join()
    assert Counter(done) == Counter(dict.fromkeys(asked, 1))


def test_a_job_fails_alone_with_its_message_and_can_be_done_again(store: Store) -> None:
    mendable = ask(store, "test.fail", arguments={"mendable": True})
    broken = ask(store, "test.fail")
    unknown = ask(store, "test.never-heard-of")
    fine = ask(store, "test.add", arguments={"numbers": [5]})
    said: list[str] = []
    assert Worker(store, say=said.append).run_until_empty() == 4
    assert look(store, mendable.id).error == "not today, Ada [TEST-01]"
    failed = look(store, broken.id)
    assert (failed.state, failed.done, failed.total, failed.message) == ("failed", 3, 7, "reading")
    assert failed.error is not None
    assert failed.error.startswith("ZeroDivisionError: by zero\n")
    assert "house.py" in failed.error
    assert "does not know jobs of the kind 'test.never-heard-of'" in (look(store, unknown.id).error or "")
    assert look(store, fine.id).state == "done"
    assert said[0] == f"job {mendable.id} test.fail: not today, Ada [TEST-01]"

    again = store.write(lambda connection: rerun(connection, broken.id, author="Bo", reason="mended"))
    assert (again.state, again.attempt, again.error, again.done, again.started_at) == ("waiting", 0, None, 0, None)
    with pytest.raises(StillOpen, match="is waiting"):
        store.write(lambda connection: rerun(connection, broken.id, author="Bo"))
    noted = store.read(lambda connection: connection.execute(select(event)).one())
    assert (noted.author, noted.kind, noted.reason) == ("Bo", "job begun again", "mended")
    assert noted.subject == f"{broken.id} test.fail"


def test_trouble_that_may_pass_is_tried_again_later_and_at_last_fails(store: Store) -> None:
    asked = ask(store, "test.pass", most_attempts=2)
    worker = Worker(store)
    assert worker.run_one()
    put_off = look(store, asked.id)
    assert (put_off.state, put_off.attempt, put_off.error) == ("waiting", 1, "the other side does not answer")
    assert put_off.due_at > datetime.now(UTC)
    assert not worker.run_one(), "its time has not come"
    store.write(lambda connection: connection.execute(update(job).values(due_at=datetime.now(UTC))))
    assert worker.run_one()
    failed = look(store, asked.id)
    assert (failed.state, failed.attempt) == ("failed", 2)
    assert failed.error == "the other side does not answer (tried 2 times) [JOB-04]"


def test_nothing_is_done_before_its_time(store: Store) -> None:
    ask(store, "test.add", arguments={"numbers": []}, due_at=datetime.now(UTC) + timedelta(hours=1))
    assert Worker(store).run_until_empty() == 0


def test_a_worker_takes_only_the_kinds_it_is_for(store: Store) -> None:
    ask(store, "test.fail")
    added = ask(store, "test.add", arguments={"numbers": [1]})
    assert Worker(store, kinds=["test.add"]).run_until_empty() == 1
    assert look(store, added.id).state == "done"


def test_a_silent_workers_job_is_taken_over_and_goes_on_where_it_was(store: Store, tmp_path: Path) -> None:
    file = tmp_path / "steps"
    asked = ask(store, "test.steps", arguments={"total": 5, "file": str(file)})
    first = take(store, "first")
    assert first is not None
    pool = Worker(store).pool
    lost = Running(store, first, "first", pool)
    lost.keep(3)
    assert not Worker(store).run_one(), "its heart still beats"
    silence(store, asked.id)
    assert Worker(store).run_one()
    assert file.read_text().split() == ["2", "3", "2", "4"], "attempt 2 did steps 3 and 4 only"
    assert look(store, asked.id).state == "done"
    # The first worker was only asleep. Nothing that it does now has any effect.
    assert not lost.end(state="failed", error="I was first")
    with pytest.raises(Stopped):
        lost.write(lambda connection: connection.execute(update(job).values(message="I was here")))
    with pytest.raises(Stopped):
        lost.progress(1, 2)
    assert look(store, asked.id).message != "I was here"


def test_a_job_that_kills_its_workers_is_given_up(store: Store) -> None:
    asked = ask(store, "test.add", most_attempts=2)
    for attempt in (1, 2):
        held = take(store, f"worker {attempt}")
        assert held is not None
        assert held.attempt == attempt
        silence(store, asked.id)
    assert take(store, "worker 3") is None
    given_up = look(store, asked.id)
    assert given_up.state == "failed"
    assert "died in each of 2 attempts" in (given_up.error or "")


def test_a_cancelled_job_is_not_begun_and_one_in_hand_stops(store: Store) -> None:
    waiting = ask(store, "test.add")
    store.write(lambda connection: cancel(connection, waiting.id, author="Ada", reason="not needed"))
    assert Worker(store).run_until_empty() == 0
    with pytest.raises(NotOpen, match="is cancelled"):
        store.write(lambda connection: cancel(connection, waiting.id, author="Ada"))
    with pytest.raises(UnknownJob):
        store.write(lambda connection: cancel(connection, 10_000, author="Ada"))

    reached: list[str] = []

    @register("test.cancelled")
    def long(running: Running) -> None:
        store.write(lambda connection: cancel(connection, running.job.id, author="Ada"))
        assert not running.beat()
        running.progress(1, 2)
        reached.append("the end")

    in_progress = ask(store, "test.cancelled")
    assert Worker(store).run_until_empty() == 1
    assert reached == []
    assert look(store, in_progress.id).state == "cancelled"


def test_a_worker_told_to_stop_gives_its_job_back(store: Store) -> None:
    @register("test.interrupted")
    def interrupted(running: Running) -> None:
        raise KeyboardInterrupt

    asked = ask(store, "test.interrupted")
    with pytest.raises(KeyboardInterrupt):
        Worker(store).run_until_empty()
    back = look(store, asked.id)
    assert (back.state, back.attempt, back.holder) == ("waiting", 0, None)


def test_lists_are_newest_first_and_can_be_narrowed(store: Store) -> None:
    first = ask(store, "test.add", arguments={"numbers": [1]}, subject="board/a")
    second = ask(store, "test.fail", subject="board/b")
    third = ask(store, "test.add", arguments={"numbers": [2]}, subject="board/b")
    Worker(store, kinds=["test.fail"]).run_until_empty()

    def listed(**how: Any) -> list[int]:
        return [one.id for one in store.read(lambda connection: listing(connection, **how))]

    assert listed() == [third.id, second.id, first.id]
    assert listed(subject="board/b") == [third.id, second.id]
    assert listed(kind="test.add", before=third.id) == [first.id]
    assert listed(states=("failed",)) == [second.id]
    assert listed(most=1) == [third.id]
    expected = {"waiting": 2, "running": 0, "done": 0, "failed": 1, "cancelled": 0}
    assert store.read(counts) == expected


def test_progress_is_written_while_it_is_being_done(store: Store) -> None:
    seen: list[tuple[int, int | None, str, float | None]] = []

    @register("test.shown")
    def shown(running: Running) -> None:
        running.progress(30, 40, "counting")
        assert running.beat()
        now = look(store, running.job.id)
        seen.append((now.done, now.total, now.message, now.share))

    ask(store, "test.shown")
    Worker(store).run_until_empty()
    assert seen == [(30, 40, "counting", 0.75)]


def test_handlers_are_loaded_with_a_job_in_hand_and_not_before(store: Store) -> None:
    seen: list[str] = []
    kind = f"test.loaded {id(seen)}"

    def load() -> None:
        @register(kind)
        def loaded(running: Running) -> None:
            seen.append(running.job.kind)

    worker = Worker(store, load=load)
    assert not worker.run_one()
    with pytest.raises(UnknownJobKind):
        handler_of(kind)
    ask(store, kind)
    assert worker.run_until_empty() == 1
    assert seen == [kind]


def test_a_key_names_what_was_asked_for_first(store: Store) -> None:
    first = ask(store, "test.add", arguments={"numbers": [1]}, key="k")
    Worker(store).run_until_empty()
    again = ask(store, "test.add", arguments={"numbers": [2]}, key="k")
    assert (again.id, again.state, again.arguments) == (first.id, "done", {"numbers": [1]})


assert house  # its handlers are registered by being imported
