"""Whoever may not is told so before anything of what they send is read.

The framework reads a whole body, and puts its files on the disk, before it asks what a route depends on. So a stranger,
or anybody who registered on a leaderboard, could have had hundreds of megabytes written only to be refused. What is
asked of a request's head alone is asked here first; the route asks again, since a session may end while a file comes.
"""

from __future__ import annotations

from collections.abc import Iterator

from fastapi import Request
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from starlette.concurrency import run_in_threadpool
from starlette.types import Scope

from goldmark.web.security_headers import allow_large
from goldmark.web.sign_in import ENTRANCES, SAFE, Entrance


async def admit(route: APIRoute, scope: Scope) -> None:
    """Refuse whoever may not use this route, if it takes something; let others send as much as is taken there."""
    if scope["method"] in SAFE or scope["method"] not in (route.methods or ()):
        return
    entrance = entrance_of(route)
    if entrance is not None:
        await run_in_threadpool(entrance, Request(scope), scope["app"].state.services)
        allow_large(scope)


def entrance_of(route: APIRoute) -> Entrance | None:
    """What a route asks of those who use it; None if it is open to everybody."""
    return next((ENTRANCES[one.call] for one in _all(route.dependant) if one.call in ENTRANCES), None)


def _all(dependant: Dependant) -> Iterator[Dependant]:
    for one in dependant.dependencies:
        yield one
        yield from _all(one)
