"""Routers of the API: how programs call what they offer, and how every call may fail."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fastapi import APIRouter
from fastapi.routing import APIRoute

from goldmark.web.api.operation_ids import operation_id
from goldmark.web.api.shapes import FAILURES

# What describes a failure is made once: FastAPI would make it anew for every code of every call.
_FAILED = APIRoute("/", lambda: None, responses=FAILURES).response_fields


class CallRoute(APIRoute):
    """One call of the API."""

    def __init__(
        self, path: str, endpoint: Callable[..., Any], *, responses: dict[int | str, dict[str, Any]], **more: Any
    ) -> None:
        own = {status: reply for status, reply in responses.items() if reply is not FAILURES.get(status)}
        super().__init__(path, endpoint, responses=own, **more)
        self.responses = responses
        self.response_fields |= {status: field for status, field in _FAILED.items() if status not in own}


class Calls(APIRouter):
    """Calls whose addresses begin alike; under their tag they stand together in the description."""

    def __init__(self, prefix: str, tag: str) -> None:
        super().__init__(
            prefix=prefix,
            tags=[tag],
            responses=FAILURES,
            route_class=CallRoute,
            generate_unique_id_function=operation_id,
        )
