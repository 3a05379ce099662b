"""Headers on every reply, and a limit on every body and form. Plain ASGI: this runs on the path of each answer."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import aclosing
from typing import Any

import orjson
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import Request

from goldmark.languages import gettext

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

LARGEST_BODY = 2_000_000
LARGEST_JSON = 20_000_000  # of those who may upload: texts inside a request
LARGEST_UPLOAD = 260_000_000
FILES_OF_A_SUBMISSION = 10  # one is read; each of them may lie in memory up to a megabyte
# A list of nothing but brackets takes thirty times its size in memory, and nobody is answered while it is read.
MOST_PARTS = 100_000
MOST_PARTS_OF_UPLOADS = 1_000_000
PARTS = (b",", b"[", b"{")
LIMIT = "goldmark.limit"  # where a request's scope holds its limit
UPLOADS = ("/api/v1/campaigns", "/campaigns", "/api/v1/leaderboards", "/leaderboards")
SUBMISSIONS = re.compile(r"(?:/api/v1)?/leaderboards/[^/]+/(?:submit|submissions)")

POLICY = (
    b"default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    b"connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'"
)
POLICY_NAME = b"content-security-policy"
HEADERS = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),  # an annotator's address is a credential: tell it to nobody
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=()"),
]
# Where people use an https address: no browser asks without encryption again.
ALWAYS_ENCRYPTED = (b"strict-transport-security", b"max-age=31536000")
# Only these may sit in another site's frame, as crowd platforms do it.
ANNOTATORS_PAGES = ("/a/", "/join/", "/crowd/", "/done/")
FRAMED = [(POLICY_NAME, POLICY)]
# The preview of a protocol sits in a frame of our own.
OURS = [(POLICY_NAME, POLICY + b"; frame-ancestors 'self'"), (b"x-frame-options", b"SAMEORIGIN")]
UNFRAMED = [(POLICY_NAME, POLICY + b"; frame-ancestors 'none'"), (b"x-frame-options", b"DENY")]
# The one page that hands in elsewhere says itself where: see `handing_in_to`.
OWN_POLICY = "/done/"


def handing_in_to(host: str) -> str:
    """The policy of a page whose form goes to this one host and nowhere else."""
    return POLICY.decode().replace("form-action 'self'", f"form-action {host}")


class BodyTooLarge(HTTPException):
    """Of HTTP's own kind: the framework, which reads most bodies, lets those through."""

    code = "LIMIT-02"

    def __init__(self, why: str) -> None:
        super().__init__(413, why)


class BodyLimit:
    """How much of a request is read: little, until it is known that whoever sends it may send more to this address."""

    def __init__(self, scope: Scope) -> None:
        # Of two the first counts, as it does for whoever reads the body.
        headers = dict(reversed(scope["headers"]))
        self.files = headers.get(b"content-type", b"").lower().startswith(b"multipart/")
        self._announced: bytes = headers.get(b"content-length", b"0")
        self._most, self._parts_left = LARGEST_BODY, MOST_PARTS
        self._received = 0

    def widen(self) -> None:
        self._most = LARGEST_UPLOAD if self.files else LARGEST_JSON
        self._parts_left = MOST_PARTS_OF_UPLOADS

    def check_announced(self, most: int | None = None) -> None:
        """What the head says of the length."""
        most = self._most if most is None else most
        if not self._announced.isdigit() or int(self._announced) > most:
            raise _too_large(most)

    def count(self, body: bytes) -> None:
        self._received += len(body)
        if not self.files:
            self._parts_left -= sum(body.count(part) for part in PARTS)
        if self._received > self._most:
            raise _too_large(self._most)
        if self._parts_left < 0:
            raise BodyTooLarge("the request holds too many lists, objects and values; send texts as files")


def _too_large(most: int) -> BodyTooLarge:
    return BodyTooLarge(gettext("the request is larger than {limit} bytes", limit=most))


def takes_uploads(scope: Scope) -> bool:
    """Whether files and many texts are taken at this address."""
    return bool(scope["method"] == "POST" and scope["path"].startswith(UPLOADS))


def takes_submissions(scope: Scope) -> bool:
    """The same of what is open to everybody who registered on a leaderboard."""
    return scope["method"] == "POST" and SUBMISSIONS.fullmatch(scope["path"]) is not None


class FormRequest(Request):
    """A request of whose form little is in memory: its fields are no longer than all of a request without files."""

    async def _get_form(self, **limits: Any) -> FormData:
        kind = self.headers.get("content-type", "").partition(";")[0]
        if self._form is None and kind.strip().lower() == "multipart/form-data":
            if takes_submissions(self.scope):
                limits["max_files"] = FILES_OF_A_SUBMISSION
            try:
                async with aclosing(self.stream()) as stream:
                    self._form = await _FormParser(self.headers, stream, **limits).parse()
            except MultiPartException as error:
                raise HTTPException(400, error.message) from error
        return await super()._get_form(**limits)


class _FormParser(MultiPartParser):
    """Files lie on the disk and fields are held, so what fields hold is counted."""

    _held = 0

    def on_part_end(self) -> None:
        super().on_part_end()
        _, value = self.items[-1]
        if isinstance(value, str):
            self._held += len(value)
        if self._held > LARGEST_BODY:
            most = f"{LARGEST_BODY:,} characters"
            raise BodyTooLarge(f"the fields of the form hold more than {most}; send what is long as a file")


class SecurityHeaders:
    """`encrypted` says whether people use an https address."""

    def __init__(self, app: App, encrypted: Callable[[], bool] = lambda: False) -> None:
        self._app, self._encrypted = app, encrypted

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        path: str = scope["path"]
        limit = scope[LIMIT] = BodyLimit(scope)
        preview = path.startswith("/protocols/") and path.endswith("/preview")
        extra = HEADERS + (FRAMED if path.startswith(ANNOTATORS_PAGES) else OURS if preview else UNFRAMED)
        if self._encrypted():
            extra = [*extra, ALWAYS_ENCRYPTED]
        if not path.startswith("/static/"):
            extra = [*extra, (b"cache-control", b"no-store")]
        started = False

        async def send_with_headers(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                own = path.startswith(OWN_POLICY) and any(name == POLICY_NAME for name, _ in message["headers"])
                more = [one for one in extra if one[0] != POLICY_NAME] if own else extra
                message["headers"] = [*message["headers"], *more]
            await send(message)

        async def receive_limited() -> Message:
            # Not before somebody asks for the body: who may not send it at all is told that instead.
            limit.check_announced()
            message = await receive()
            limit.count(message.get("body", b""))
            return message

        try:
            limit.check_announced(LARGEST_UPLOAD)
            await self._app(scope, receive_limited, send_with_headers)
        except BodyTooLarge as error:
            if not started:
                await _refuse(send_with_headers, error)


async def _refuse(send: Send, error: BodyTooLarge) -> None:
    body = orjson.dumps({"ok": False, "code": error.code, "message": error.detail})
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": error.status_code, "headers": headers})
    await send({"type": "http.response.body", "body": body})
