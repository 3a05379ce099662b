"""Routes that are built when they are first asked for.

Hundreds of routes and all the rooms behind them take seconds to import and tens of megabytes to keep, and most servers
are asked for few of them. A group of routes is a module of which only the beginnings of its addresses are known until
somebody asks for an address beneath one of them. All of a group's routes stand beneath its beginnings, so that what
answers an address is the same as if all had been built.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import cast

from fastapi.routing import APIRoute
from starlette.datastructures import URLPath
from starlette.routing import BaseRoute, Match, NoMatchFound
from starlette.types import ASGIApp, Receive, Scope, Send

from goldmark.web.runtime.before_body import admit
from goldmark.web.runtime.threads import BUILDING, OTHERS, Threads, answering_in

# One at a time: what two groups import may be the same and half there.
_BUILDING = threading.RLock()
_FOUND = "goldmark.route"


class RouteGroup(BaseRoute):
    """The routes of one module's `router`, as one route of the application; None has the framework's threads."""

    def __init__(self, module: str, beginnings: Iterable[str], threads: Threads | None = OTHERS) -> None:
        self.module, self.beginnings, self.threads = module, tuple(beginnings), threads
        self._routes: list[APIRoute] | None = None
        # Asked together they are one expression, which takes less than asking each of them.
        self._takes = re.compile("|".join(map(_beneath, self.beginnings)))

    @property
    def is_built(self) -> bool:
        return self._routes is not None

    @property
    def routes(self) -> list[APIRoute]:
        """All of them, in the order in which they are asked; built if they were not."""
        return self.build() if self._routes is None else self._routes

    def build(self) -> list[APIRoute]:
        with _BUILDING:
            if self._routes is None:
                self._routes = cast(list[APIRoute], import_module(self.module).router.routes)
                exactly = (re.sub(r"\(\?P<\w+>", "(?:", one.path_regex.pattern) for one in self._routes)
                self._takes = re.compile("|".join(exactly))
            return self._routes

    def may_take(self, scope: Scope) -> bool:
        """Whether one of the routes takes this address, or would have to be built to know."""
        return self._takes.match(_path(scope)) is not None

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """As a router does: the first that takes address and method, else the first that takes the address."""
        if scope["type"] != "http" or not self.may_take(scope):
            return Match.NONE, {}
        partial: tuple[Match, Scope] = (Match.NONE, {})
        for route in self.routes:
            match, found = route.matches(scope)
            if match is Match.FULL:
                return match, {**found, _FOUND: route}
            if match is Match.PARTIAL and partial[0] is Match.NONE:
                partial = match, {**found, _FOUND: route}
        return partial

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        route = cast(APIRoute, scope[_FOUND])
        answering_in(self.threads)
        with await admit(route, scope):
            await route.handle(scope, receive, send)

    def url_path_for(self, name: str, /, **path_params: object) -> URLPath:
        for route in self.routes:
            try:
                return route.url_path_for(name, **path_params)
            except NoMatchFound:
                continue
        raise NoMatchFound(name, path_params)


def groups(
    package: str, beginnings: Mapping[str, str | tuple[str, ...]], own: Mapping[str, Threads | None]
) -> tuple[RouteGroup, ...]:
    """A group for each module of a package, in this order, by where its addresses begin; some have `own` threads."""
    return tuple(
        RouteGroup(name, (places,) if isinstance(places, str) else places, own.get(name, OTHERS))
        for name, places in ((f"{package}.{module}", places) for module, places in beginnings.items())
    )


class BuildRoutes:
    """Builds what an address needs before it is looked up: in a thread, so that others are answered meanwhile."""

    def __init__(self, app: ASGIApp, groups: Iterable[RouteGroup]) -> None:
        self._app = app
        self._await(groups)

    def _await(self, groups: Iterable[RouteGroup]) -> None:
        self._unbuilt = tuple(group for group in groups if not group.is_built)
        places = {_beneath(place) for group in self._unbuilt for place in group.beginnings}
        self._needed = re.compile("|".join(sorted(places)) or r"(?!)")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and self._needed.match(_path(scope)):
            needed = [group for group in self._unbuilt if group.may_take(scope)]
            await BUILDING.run(lambda: [group.build() for group in needed])
            self._await(self._unbuilt)
        await self._app(scope, receive, send)


def _path(scope: Scope) -> str:
    path: str = scope["path"]
    return path.removeprefix(scope.get("root_path", ""))


def _beneath(beginning: str) -> str:
    """An expression for this address and all beneath it, with any word for each {name}."""
    words = ("[^/]+" if word.startswith("{") else re.escape(word) for word in beginning.split("/"))
    return f"{'/'.join(words)}(?:/|$)"
