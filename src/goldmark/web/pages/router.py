"""Routers of pages: none of them stands in the description of the API."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import APIRouter, Request, Response

from goldmark.web.runtime.threads import ThreadedRoute
from goldmark.web.security_headers import FormRequest


class PageRoute(ThreadedRoute):
    """One page, or what its form does."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def handle_form(request: Request) -> Response:
            return await handle(FormRequest(request.scope, request.receive))

        return handle if self.body_field is None else handle_form


class Pages(APIRouter):
    """Pages whose addresses begin alike."""

    def __init__(self, prefix: str = "") -> None:
        super().__init__(prefix=prefix, include_in_schema=False, route_class=PageRoute)
