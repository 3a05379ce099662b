"""Every route of the application: the API for programs, the pages for people.

In a group, what has a fixed name in its address stands before what takes any name there.
"""

from __future__ import annotations

import re
from typing import cast

from fastapi import APIRouter
from starlette.routing import Match, Route
from starlette.types import Scope

from goldmark.web.api import campaigns as campaign_calls
from goldmark.web.api import evaluations as evaluation_calls
from goldmark.web.api import hooks, lessons, work
from goldmark.web.api import people as people_calls
from goldmark.web.api import reviews as review_calls
from goldmark.web.api import server as server_calls
from goldmark.web.pages import annotators, campaigns, crowd, evaluations, people, reviews, server

API: tuple[APIRouter, ...] = (
    work.router,
    lessons.router,
    hooks.router,
    *campaign_calls.ROUTERS,
    *people_calls.ROUTERS,
    *review_calls.ROUTERS,
    *evaluation_calls.ROUTERS,
    *server_calls.ROUTERS,
)
PAGES: tuple[APIRouter, ...] = (
    annotators.router,
    crowd.router,
    *campaigns.ROUTERS,
    *people.ROUTERS,
    *reviews.ROUTERS,
    *evaluations.ROUTERS,
    *server.ROUTERS,
)


class Indexed(APIRouter):
    """A router whose routes are looked through only for an address that one of them takes.

    With hundreds of routes, asking each of them takes longer than most replies; asked together they are one expression.
    """

    def __init__(self, router: APIRouter) -> None:
        super().__init__(routes=router.routes)
        taken = (cast(Route, route).path_regex.pattern for route in router.routes)
        self._taken = re.compile("|".join(re.sub(r"\(\?P<\w+>", "(?:", one) for one in taken))

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        path = scope["path"].removeprefix(scope.get("root_path", ""))
        return super().matches(scope) if self._taken.match(path) else (Match.NONE, {})
