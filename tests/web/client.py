"""A client of the application in this process, over one event loop that all clients share.

Starlette's own goes to the loop's thread nine times for each request and, unless told otherwise, starts a loop and a
thread for it first: that takes longer than most requests. This one goes there once and comes back with the whole reply.
"""

from __future__ import annotations

import asyncio
import threading
import warnings
from functools import cache
from typing import Any
from urllib.parse import unquote

from starlette.types import ASGIApp, Message

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # Starlette wants a client that is not released yet
    import httpx2
    from starlette import testclient

PORTS = {"http": 80, "https": 443}


class TestClient(testclient.TestClient):
    def __init__(
        self,
        app: ASGIApp,
        *,
        raise_server_exceptions: bool = True,
        client: tuple[str, int] = ("testclient", 50000),
        **more: Any,
    ) -> None:
        super().__init__(app, **more)
        self._transport = _Transport(app, raise_server_exceptions, client)


class _Transport(httpx2.BaseTransport):
    def __init__(self, app: ASGIApp, raises: bool, client: tuple[str, int]) -> None:
        self._app, self._raises, self._client = app, raises, client

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        request.read()
        return asyncio.run_coroutine_threadsafe(self._reply(request), _loop()).result()

    async def _reply(self, request: httpx2.Request) -> httpx2.Response:
        sent: list[Message] = []
        waiting: list[Message] = [{"type": "http.request", "body": request.content}]
        complete = asyncio.Event()

        async def receive() -> Message:
            if waiting:
                return waiting.pop()
            await complete.wait()
            return {"type": "http.disconnect"}

        async def send(message: Message) -> None:
            sent.append(message)
            if message["type"] == "http.response.body" and not message.get("more_body"):
                complete.set()

        try:
            await self._app(self._scope(request), receive, send)
        except Exception:
            if self._raises:
                raise
        if not sent:
            return httpx2.Response(500, request=request)
        body = b"".join(bytes(message.get("body", b"")) for message in sent)
        return httpx2.Response(
            sent[0]["status"],
            headers=[(key.decode(), value.decode()) for key, value in sent[0]["headers"]],
            stream=httpx2.ByteStream(b"" if request.method == "HEAD" else body),
            request=request,
        )

    def _scope(self, request: httpx2.Request) -> dict[str, Any]:
        url = request.url
        return {
            "type": "http",
            "http_version": "1.1",
            "method": request.method,
            "path": unquote(url.path),
            "raw_path": url.raw_path.split(b"?", 1)[0],
            "root_path": "",
            "scheme": url.scheme,
            "query_string": url.query,
            "headers": [(key.lower().encode(), value.encode()) for key, value in request.headers.multi_items()],
            "client": self._client,
            "server": (url.host, url.port or PORTS[url.scheme]),
            "extensions": {},
            "state": {},
        }


@cache
def _loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="application", daemon=True).start()
    return loop
