"""A door of its own for answers, past the framework.

Submitting is the call that everybody makes all day. Finding its route among hundreds and solving its dependencies took
longer than checking the answer. So what is plainly of the documented form is taken here, by the function that the
documented endpoint calls; everything else goes on to that endpoint, whole, and is told there what is wrong with it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from pydantic import ValidationError
from starlette.requests import Request

from goldmark.errors import GoldmarkError
from goldmark.web.api import work
from goldmark.web.failures import explain
from goldmark.web.security_headers import App, Message, Receive, Scope, Send
from goldmark.web.services import Services

SMALL = 20_000  # bytes of an answer that is checked at once, while nobody else is answered
_ROUTE = next(one for one in work.router.routes if getattr(one, "endpoint", None) is work.submit)
_ADDRESS = re.compile(r"/api/v1/work/assignments/([1-9][0-9]{0,14})/responses")
_JSON = re.compile(rb"application/json(;.*)?")
_NO_NUMBER = re.compile(rb"NaN|Infinity|[0-9][eE][+]?[0-9]{3}")  # read as one all the same, where JSON has none
_BEARER = re.compile(rb"[Bb]earer ([!-~]+)")


class AnswerDoor:
    """Plain ASGI, inside everything that holds for every request: headers, limits, hosts, languages, counts."""

    def __init__(self, app: App, services: Callable[[], Services]) -> None:
        self._app, self._services = app, services

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        asked = _asked(scope)
        if asked is None:
            await self._app(scope, receive, send)
            return
        assignment_id, token = asked
        messages = [await receive()]
        while messages[-1].get("more_body"):
            messages.append(await receive())
        body = _of_documented_form(messages)
        if body is None:
            await self._app(scope, _once_more(messages, receive), send)
            return
        scope["route"] = _ROUTE  # requests are counted by it
        try:
            small = sum(len(one["body"]) for one in messages) <= SMALL
            said = await work.taken(self._services(), token, assignment_id, body, small=small)
        except GoldmarkError as error:
            await explain(Request(scope), error)(scope, receive, send)
            return
        headers = [(b"content-length", b"%d" % len(said)), (b"content-type", b"application/json")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": said})


def _asked(scope: Scope) -> tuple[int, str] | None:
    """The assignment that is answered and the sender's token, if this is such a request."""
    if scope["type"] != "http" or scope["method"] != "POST" or scope.get("root_path"):
        return None
    found = _ADDRESS.fullmatch(scope["path"])
    if found is None:
        return None
    headers: dict[bytes, bytes] = dict(scope["headers"])
    bearer = _BEARER.fullmatch(headers.get(b"authorization", b""))
    twice = len(headers) != len(scope["headers"])  # which of the two counts is not for us to say
    if bearer is None or twice or not _JSON.fullmatch(headers.get(b"content-type", b"")):
        return None
    return int(found.group(1)), bearer.group(1).decode()


def _of_documented_form(messages: Sequence[Message]) -> work.ResponseIn | None:
    """What was sent, if all of it arrived and is right."""
    if messages[-1]["type"] != "http.request":
        return None
    body = b"".join(one.get("body", b"") for one in messages)
    if _NO_NUMBER.search(body):
        return None
    try:
        return work.ResponseIn.model_validate_json(body)
    except ValidationError:
        return None


def _once_more(messages: Iterable[Message], receive: Receive) -> Receive:
    """The messages that were taken already, and then what follows."""
    taken = iter(messages)

    async def receive_again() -> Message:
        return next(taken, None) or await receive()

    return receive_again
