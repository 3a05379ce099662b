"""Routers of the API: what bodies programs send, how they call what is offered, and how every call may fail."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.params import Form
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException

from goldmark.web.api.operation_ids import operation_id
from goldmark.web.api.shapes import FAILURES
from goldmark.web.runtime.threads import ThreadedRoute
from goldmark.web.security_headers import FormRequest

# What describes a failure is made once: FastAPI would make it anew for every code of every call.
_FAILED = APIRoute("/", lambda: None, responses=FAILURES).response_fields
_JSON = re.compile(r"application/(?:[\w.+-]+\+)?json", re.IGNORECASE)
_FORM = re.compile(r"multipart/form-data|application/x-www-form-urlencoded", re.IGNORECASE)
_HALF_CHARACTER = re.compile(rb"\\u[dD][89a-fA-F]")


class StrictRequest(FormRequest):
    """A request whose JSON holds nothing that cannot be stored or written again."""

    async def json(self) -> Any:
        return _read(await self.body())


def _read(body: bytes) -> Any:
    found = json.loads(body, parse_constant=_refused, parse_float=_finite)
    if _HALF_CHARACTER.search(body):  # halves of two are one character and fine
        try:
            json.dumps(found, ensure_ascii=False).encode()
        except UnicodeEncodeError as error:
            raise json.JSONDecodeError("half a character (a lone surrogate)", "", error.start) from None
    return found


def _refused(written: str) -> float:
    raise json.JSONDecodeError(f"{written[:40]} is no number that JSON knows", "", 0)


def _finite(written: str) -> float:
    number = float(written)
    return number if number - number == 0 else _refused(written)


class CallRoute(ThreadedRoute):
    """One call of the API."""

    def __init__(
        self, path: str, endpoint: Callable[..., Any], *, responses: dict[int | str, dict[str, Any]], **more: Any
    ) -> None:
        own = {status: reply for status, reply in responses.items() if reply is not FAILURES.get(status)}
        super().__init__(path, endpoint, responses=own, **more)
        self.responses = responses
        self.response_fields |= {status: field for status, field in _FAILED.items() if status not in own}

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()
        if self.body_field is None:
            return handle
        form = isinstance(self.body_field.field_info, Form)
        kind, called = (_FORM, "multipart/form-data") if form else (_JSON, "application/json")

        async def handle_body(request: Request) -> Response:
            strict = StrictRequest(request.scope, request.receive)
            given = request.headers.get("content-type", "").partition(";")[0].strip()
            if not kind.fullmatch(given) and (given or await strict.body()):
                raise HTTPException(415, f"send this as {called}, and say so in the header 'Content-Type'")
            return await handle(strict)

        return handle_body


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
