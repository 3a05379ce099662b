"""Routers of pages: none of them stands in the description of the API."""

from __future__ import annotations

from fastapi import APIRouter

from goldmark.web.runtime.threads import ThreadedRoute


class Pages(APIRouter):
    """Pages whose addresses begin alike."""

    def __init__(self, prefix: str = "") -> None:
        super().__init__(prefix=prefix, include_in_schema=False, route_class=ThreadedRoute)
