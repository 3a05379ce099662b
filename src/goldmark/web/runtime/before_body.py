"""Whoever may not is told so before anything of what they send is read.

The framework reads a whole body, and puts its files on the disk, before it asks what a route depends on. So a stranger,
or anybody who registered on a leaderboard, could have had hundreds of megabytes written only to be refused. What is
asked of a request's head alone is asked here first; the route asks again, since a session may end while a file comes.

Where everybody who registered may send a file, a few at a time are taken: each lies on the disk while it comes.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import NamedTuple

from fastapi import Request
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from starlette.concurrency import run_in_threadpool
from starlette.types import Scope

from goldmark.accounts.roles import Role
from goldmark.errors import TooMany
from goldmark.web.security_headers import LIMIT, takes_submissions, takes_uploads
from goldmark.web.sign_in import ENTRANCES, SAFE, Entrance

MOST_OF_ONE = 3  # files that one account below a curator sends at the same time
MOST_OF_ALL = 40
PATIENCE = 600.0  # seconds after which a file that still comes keeps out only those who send it


class Coming(NamedTuple):
    """A file on its way."""

    account: int
    since: float


_coming: list[Coming] = []  # only the event loop changes it


class TooManyUploads(TooMany):
    code = "LIMIT-03"
    message = "files that were sent before are still coming in; send this one when they have arrived"


async def admit(route: APIRoute, scope: Scope) -> AbstractContextManager[None]:
    """Refuse whoever may not use this route, if it takes something; let others send as much as is taken there.

    What comes back is left when the request has been answered.
    """
    changes = scope["method"] not in SAFE and scope["method"] in (route.methods or ())
    entrance = entrance_of(route) if changes else None
    if entrance is None:
        return nullcontext()
    found = await run_in_threadpool(entrance.enter, Request(scope), scope["app"].state.services)
    takes_files = takes_submissions if entrance.lowest is Role.ANNOTATOR else takes_uploads
    if not takes_files(scope):
        return nullcontext()
    scope[LIMIT].widen()
    return _one_of_few(found.account.id) if found.account.role is Role.ANNOTATOR else nullcontext()


@contextmanager
def _one_of_few(account: int) -> Iterator[None]:
    now = time.monotonic()
    own = sum(one.account == account for one in _coming)
    if own >= MOST_OF_ONE or sum(now - one.since < PATIENCE for one in _coming) >= MOST_OF_ALL:
        raise TooManyUploads
    this = Coming(account, now)
    _coming.append(this)
    try:
        yield
    finally:
        _coming.remove(this)


def entrance_of(route: APIRoute) -> Entrance | None:
    """What a route asks of those who use it; None if it is open to everybody."""
    return next((ENTRANCES[one.call] for one in _all(route.dependant) if one.call in ENTRANCES), None)


def _all(dependant: Dependant) -> Iterator[Dependant]:
    for one in dependant.dependencies:
        yield one
        yield from _all(one)
