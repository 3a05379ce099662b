"""Figures of whole campaigns, computed where nobody waits for them.

What a small campaign holds is read in a moment, here. Of a large one it takes seconds of computing, during which no
annotator would be answered, and memory that Python does not give back. So that is done by another process, at low
priority, which leaves when it has had nothing to do for a while. What it found is kept. People go on working meanwhile:
within a time in proportion to what the figures cost, they may be a little older than the newest answer, and say so;
decisions (an exclusion, a review, new settings) are never missing from them.
"""

from __future__ import annotations

import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from sqlalchemy import Connection, func, select

from goldmark.campaigns.assignments.content_cache import ContentCache
from goldmark.campaigns.fingerprint import fingerprint
from goldmark.campaigns.lifecycle import CampaignRow, UnknownCampaign, find_campaign, look_into
from goldmark.errors import Failed
from goldmark.store import Store, open_store
from goldmark.store.tables import assignment, event, test_answer, unit

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

    from goldmark.quality.noisy_monitor import NoisyMonitor

LARGE = 2_000  # assignments, from which on a campaign is computed elsewhere
LARGE_TEXTS = 5 * LARGE  # or texts, if nobody has them yet
KEPT = 8  # what was found lately: tables, not answers
KEPT_BRIEF = 500  # of what is no more than a few numbers of a campaign
IDLE = 60.0  # seconds after which the other process leaves
OLDER = 20  # times what the figures took, they may be older than the newest answer
OLDEST = 300.0  # seconds, whatever they took
NICE = 10  # a manager waits for it, annotators come first
Found = TypeVar("Found")


class ComputingFailed(Failed):
    code = "COMPUTE-01"
    message = "the process that computes figures ended before it was done, perhaps for want of memory; try again"


class Opened(NamedTuple):
    """What figures are computed from, in whichever process."""

    store: Store
    content: ContentCache
    watching: Callable[[], NoisyMonitor]


@dataclass(frozen=True)
class Computed(Generic[Found]):
    """What was found, of which campaign, and as of when."""

    campaign: CampaignRow
    found: Found
    at: datetime
    older: bool  # than the newest answer

    @property
    def as_of(self) -> datetime | None:
        """What a page says of their age: nothing while they are as new as the newest answer."""
        return self.at if self.older else None


@dataclass
class _Kept:
    key: Hashable
    future: Future[Any]
    began: float
    at: datetime
    took: float = OLDEST


_Shelf = OrderedDict[Hashable, _Kept]


class Computing:
    def __init__(self, opened: Opened) -> None:
        self._opened = opened
        self._kept: _Shelf = OrderedDict()
        self._brief: _Shelf = OrderedDict()
        self._changing = threading.Lock()
        # Numbers are computed by one thread at a time: more would only wait for each other.
        self._alone = threading.Lock()
        self._pool: ProcessPoolExecutor | None = None
        self._running = 0
        self._resting: threading.Timer | None = None

    def of(
        self,
        name: str,
        work: Callable[..., Found],
        *asked: Hashable,
        small: bool = False,
        brief: bool = False,
        as_shown: bool = False,
    ) -> Computed[Found]:
        """What `work` finds in a campaign for what was asked; kept as long as it holds, of small ones if so told.

        What is `brief` takes no place from tables. What belongs to a page that somebody has open is `as_shown` there,
        though there be newer answers.
        """
        # Read before the figures: what changes in between is computed again by whoever looks next.
        row, key, decided, large = self._opened.store.read(lambda connection: _state(connection, name, small))
        if not large and not small:
            return Computed(row, self._run(large, work, name, asked), datetime.now(UTC), False)
        asked_for = (row.id, decided, f"{work.__module__}:{work.__qualname__}", asked)
        shelf, most = (self._brief, KEPT_BRIEF) if brief else (self._kept, KEPT)
        with self._changing:
            kept = shelf.get(asked_for)
            if kept is None or (kept.key != key and not as_shown and not (large and self._young(kept))):
                kept = _Kept(key, Future(), time.monotonic(), datetime.now(UTC))
                shelf[asked_for] = kept
                mine = True
            else:
                mine = False
            shelf.move_to_end(asked_for)
            while len(shelf) > most:
                shelf.popitem(last=False)
        if mine:
            self._fill(shelf, kept, asked_for, lambda: self._run(large, work, name, asked))
        return Computed(row, kept.future.result(), kept.at, kept.key != key)

    def apart(self, name: str, work: Callable[..., Found], *asked: Any) -> Found:
        """The same for what is not kept, such as files."""
        return self._run(self.is_large(name), work, name, asked)

    def is_large(self, name: str) -> bool:
        """Whether a campaign, or what it verifies, is so large that what is made of all of it is made elsewhere."""

        def look(connection: Connection, row: CampaignRow) -> bool:
            return any(_is_large(connection, one) for one in _read_with(connection, row))

        return look_into(self._opened.store, name, look)

    def close(self) -> None:
        with self._changing:
            self._leave()

    def _young(self, kept: _Kept) -> bool:
        return time.monotonic() - kept.began < min(OLDEST, OLDER * kept.took)

    def _fill(self, shelf: _Shelf, kept: _Kept, asked_for: Hashable, compute: Callable[[], Any]) -> None:
        try:
            kept.future.set_result(compute())
            kept.took = time.monotonic() - kept.began
        except BaseException as error:  # whoever waits for the same is told the same; the next one tries anew
            with self._changing:
                if shelf.get(asked_for) is kept:
                    del shelf[asked_for]
            kept.future.set_exception(error)

    def _run(self, large: bool, work: Callable[..., Found], name: str, asked: tuple[Any, ...]) -> Found:
        if not large:
            with self._alone:
                return work(self._opened, name, *asked)
        from concurrent.futures.process import BrokenProcessPool

        with self._changing:
            future: Future[Found] = self._other_process().submit(_work, work, name, asked)
            self._running += 1
        try:
            return future.result()
        except BrokenProcessPool:
            with self._changing:
                self._leave()
            raise ComputingFailed from None
        finally:
            with self._changing:
                self._running -= 1
                self._rest_later()

    def _other_process(self) -> ProcessPoolExecutor:
        if self._pool is None:
            import multiprocessing
            from concurrent.futures import ProcessPoolExecutor

            # Through a pipe: as an argument it would be seen by everybody on this machine, and it may hold a password.
            address = self._opened.store.url.render_as_string(hide_password=False)
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(1, context, initializer=_begin, initargs=(address,))
        return self._pool

    def _rest_later(self) -> None:
        if self._resting is not None:
            self._resting.cancel()
        self._resting = threading.Timer(IDLE, self._rest)
        self._resting.daemon = True
        self._resting.start()

    def _rest(self) -> None:
        with self._changing:
            if not self._running:
                self._leave()

    def _leave(self) -> None:
        pool, self._pool = self._pool, None
        if self._resting is not None:
            self._resting.cancel()
        if pool is not None:
            pool.shutdown(wait=False, cancel_futures=True)


def _state(connection: Connection, name: str, small: bool) -> tuple[CampaignRow, Hashable, Hashable, bool]:
    """A campaign, what figures of it depend on, the decisions among that, and whether it is large.

    On what those of a small one depend is of no use where they are not kept.
    """
    from goldmark.people.crowds import campaigns_of_crowd

    row = find_campaign(connection, name)
    rows = _read_with(connection, row)
    large = any(_is_large(connection, one) for one in rows)
    if not large and not small:
        return row, None, None, large
    crowd = test_answer.c.campaign_id.in_(select(campaigns_of_crowd(row.id).c.id))
    tests = connection.execute(select(func.count(), func.max(test_answer.c.at)).where(crowd)).one()
    decided = tuple(
        connection.scalar(select(func.max(event.c.id)).where(event.c.campaign_id == one.id)) for one in rows
    )
    key = (*(fingerprint(connection, one) for one in rows), tuple(tests))
    return row, key, decided, large


def _read_with(connection: Connection, row: CampaignRow) -> list[CampaignRow]:
    """The campaigns that figures of this one are made of: itself, and the one whose errors it verifies."""
    from goldmark.curation.verification.followup import VERIFICATION
    from goldmark.followups.create import origin_of

    origin = origin_of(connection, row)
    if origin is None or origin.kind != VERIFICATION.name:
        return [row]
    try:
        return [row, find_campaign(connection, origin.source)]
    except UnknownCampaign:  # it was imported without its source; whoever needs that is told so
        return [row]


def _is_large(connection: Connection, row: CampaignRow) -> bool:
    texts = select(func.max(unit.c.position)).where(unit.c.campaign_id == row.id)
    if (connection.scalar(texts) or 0) >= LARGE_TEXTS:
        return True
    beyond = select(assignment.c.id).where(assignment.c.campaign_id == row.id).offset(LARGE).limit(1)
    return connection.execute(beyond).first() is not None


_here: Opened | None = None  # in the other process


def _begin(address: str) -> None:
    global _here  # noqa: PLW0603 - a pool gives its processes no other place
    from goldmark.jobs.fanout import end_with_parent
    from goldmark.quality.noisy_monitor import NoisyMonitor

    end_with_parent()
    if hasattr(os, "nice"):
        os.nice(NICE)
    store, watching = open_store(address), NoisyMonitor()
    _here = Opened(store, ContentCache(store), lambda: watching)


def _work(work: Callable[..., Any], name: str, asked: tuple[Any, ...]) -> Any:
    return work(_here, name, *asked)
