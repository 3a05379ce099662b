"""The description of the API (OpenAPI), made when somebody first asks for it."""

from __future__ import annotations

import threading
from typing import Any

from fastapi import FastAPI, Request
from fastapi.openapi.utils import get_openapi
from fastapi.responses import JSONResponse, Response

from goldmark.web.routes import API

ADDRESS = "/api/v1/openapi.json"


def install(app: FastAPI) -> None:
    making = threading.Lock()

    def describe() -> dict[str, Any]:
        with making:
            if app.openapi_schema is None:
                described = get_openapi(
                    title=app.title,
                    version=app.version,
                    openapi_version=app.openapi_version,
                    description=app.description,
                    routes=[route for group in API for route in group.routes],
                )
                app.openapi_schema = one_title_each(described)
            return app.openapi_schema

    def openapi(_: Request) -> Response:
        return JSONResponse(describe())

    app.openapi = describe  # type: ignore[method-assign]
    # Not FastAPI's own, which would build all routes while everybody else waits.
    app.add_route(ADDRESS, openapi, include_in_schema=False)


def one_title_each(description: dict[str, Any]) -> dict[str, Any]:
    """The description with a title of its own for each schema: what is sent and what is received may differ."""
    for name, schema in description["components"]["schemas"].items():
        if name.endswith(("-Input", "-Output")):
            schema["title"] = name.replace("-", "")
    return description
