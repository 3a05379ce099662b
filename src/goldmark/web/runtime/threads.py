"""In whose threads a request is answered: annotators have threads that nobody else takes.

The framework runs every function that is not `async` in one of forty threads. A manager's page may wait in its thread
for minutes (for figures that another process computes, for the database, for a platform), and forty of those would
leave none to hand out a unit. So what is no annotator's is answered in threads of its own, of which there are fewer;
who comes when all of them are taken waits without one. Annotators' routes, and the quick steps before any route (who is
asking, parts of a file that go to the disk), have the framework's forty.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from contextvars import ContextVar
from functools import partial, wraps
from typing import Any, ParamSpec, TypeVar

from anyio import CapacityLimiter, to_thread
from anyio.lowlevel import RunVar
from fastapi.routing import APIRoute

Given = ParamSpec("Given")
Result = TypeVar("Result")


class Threads:
    """So many at a time, in every process."""

    def __init__(self, whose: str, many: int) -> None:
        self.many = many
        self._limiter = RunVar[CapacityLimiter](f"threads of {whose}")  # each event loop has its own

    async def run(self, work: Callable[Given, Result], *args: Given.args, **more: Given.kwargs) -> Result:
        try:
            limiter = self._limiter.get()
        except LookupError:
            limiter = CapacityLimiter(self.many)
            self._limiter.set(limiter)
        return await to_thread.run_sync(partial(work, *args, **more), limiter=limiter)


# Of PostgreSQL's connections, 32 a process (`goldmark.store.engine`), these leave enough to annotators, too.
OTHERS = Threads("others", 20)
# Who signs in waits for no slow page; and strangers who try passwords, each of which takes a while, take no others.
ENTRANCE = Threads("the entrance", 8)
# At the door of a posting the platform is asked who comes, which may be slow to say so.
ARRIVALS = Threads("arrivals", 12)
# Readiness asks for the writer. While somebody holds it, all who look wait behind the first.
READINESS = Threads("readiness", 1)
BUILDING = Threads("building routes", 1)

_own: ContextVar[Threads | None] = ContextVar("threads of this request", default=None)


def answering_in(own: Threads | None) -> None:
    """From here on this request is answered in these threads; None: in the framework's."""
    _own.set(own)


class ThreadedRoute(APIRoute):
    """A route whose function, unless it is `async`, runs in the threads in which its request is answered."""

    def __init__(self, path: str, endpoint: Callable[..., Any], **more: Any) -> None:
        super().__init__(path, endpoint if inspect.iscoroutinefunction(endpoint) else _threaded(endpoint), **more)


def _threaded(work: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(work)
    async def run(**given: Any) -> Any:
        own = _own.get()
        return await (to_thread.run_sync(partial(work, **given)) if own is None else own.run(work, **given))

    return run
