"""One shape for every error: the domain raises, this translates."""

from __future__ import annotations

import logging
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, Response
from starlette.exceptions import HTTPException
from starlette.routing import Match

from goldmark.errors import GoldmarkError, Kind, ProblemsFound
from goldmark.languages import gettext, later, ngettext
from goldmark.store.full_disk import is_full_disk
from goldmark.web.pages.languages import speak_again
from goldmark.web.sign_in import AskedAgain

_log = logging.getLogger(__name__)
SENTENCES = ("why",)  # facts that are sentences of ours and translated too
STATUS = {
    Kind.INVALID: 422,
    Kind.MISSING: 404,
    Kind.FORBIDDEN: 403,
    Kind.CONFLICT: 409,
    Kind.TOO_MANY: 429,
    Kind.FAILED: 500,
}


NOT_ALLOWED = 405
NO_ROOM = 507
MOST_PROBLEMS = 100  # of a request's shape that are told
OF_HTTP = (later("Not Found"), later("Method Not Allowed"))  # what Starlette says, for the catalogues


def failure(code: str, message: str, **more: Any) -> dict[str, Any]:
    return {"ok": False, "code": code, "message": message, **more}


def told(error: GoldmarkError) -> str:
    """An error in the language that is spoken; in English where nobody translated it."""
    if isinstance(error, ProblemsFound):
        consequence = gettext(str(error.facts["consequence"]))
        return ngettext(
            "{count} problem; {consequence}",
            "{count} problems; {consequence}",
            len(error.problems),
            consequence=consequence,
        )
    facts = {
        name: gettext(fact) if name in SENTENCES and isinstance(fact, str) else fact
        for name, fact in error.facts.items()
    }
    message = gettext(error.message)
    return str(error) if message == error.message else message.format(**facts)


def describe(error: GoldmarkError) -> dict[str, Any]:
    """An error as data."""
    return failure(error.code, told(error), **error.further())


def explain(request: Request, error: GoldmarkError) -> Response:
    return _reply(request, STATUS[error.kind], describe(error))


def install(app: FastAPI) -> None:
    app.exception_handler(GoldmarkError)(explain)

    @app.exception_handler(AskedAgain)
    def ask_again(request: Request, asked: AskedAgain) -> Response:
        from goldmark.web.pages.server.confirm import confirm_page

        return confirm_page(asked)

    @app.exception_handler(RequestValidationError)
    def explain_shape(request: Request, error: RequestValidationError) -> Response:
        problems = [
            {"where": ".".join(str(part) for part in one["loc"][1:]), "part": "", "what": one["msg"], "remedy": ""}
            for one in error.errors()[:MOST_PROBLEMS]
        ]
        message = gettext("the request is not of the expected form")
        return _reply(request, 422, failure("REQUEST-01", message, problems=problems))

    @app.exception_handler(Exception)
    def apologise(request: Request, error: Exception) -> Response:
        # The traceback is logged by the server; whoever asked learns nothing of our insides.
        speak_again(request)
        if is_full_disk(error):
            return _no_room(request)
        return _reply(
            request, 500, failure("SERVER-01", gettext("something went wrong on the server; please try again"))
        )

    @app.exception_handler(HTTPException)
    def explain_http(request: Request, error: HTTPException) -> Response:
        if is_full_disk(error):  # where the framework puts files that are sent, and calls it their fault
            _log.error("the disk is full", exc_info=error)
            return _no_room(request)
        body = failure(getattr(error, "code", f"HTTP-{error.status_code}"), gettext(str(error.detail)))
        headers = dict(error.headers or {})
        if error.status_code == NOT_ALLOWED:
            headers["Allow"] = ", ".join(_allowed(request))
        return _reply(request, error.status_code, body, headers)


def _no_room(request: Request) -> Response:
    message = gettext("the server's disk is full, so nothing was kept; tell whoever runs it, and try again later")
    return _reply(request, NO_ROOM, failure("SERVER-02", message))


def _allowed(request: Request) -> list[str]:
    """Every method that the address takes, whichever route takes it."""
    from goldmark.web.routes import API, PAGES  # which name what this module is a part of

    asked = [group for group in (*API, *PAGES) if group.may_take(request.scope)]
    taking = (one for group in asked for one in group.routes if one.matches(request.scope)[0] is not Match.NONE)
    return sorted({method for route in taking for method in route.methods or ()})


def _reply(request: Request, status: int, body: dict[str, Any], headers: dict[str, str] | None = None) -> Response:
    if request.url.path.startswith("/api/") or "text/html" not in request.headers.get("accept", ""):
        return JSONResponse(body, status_code=status, headers=headers)
    from goldmark.web.pages.render import render

    page: HTMLResponse = render(request, "error.html", status=status, failure=body)
    page.status_code = status
    page.headers.update(headers or {})
    return page
