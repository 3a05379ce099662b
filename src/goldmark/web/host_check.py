"""A foreign name in the header Host is somebody's trick, or a site that points its own name at us: both are refused.

Only where whoever started the server named its public address; otherwise it answers under any name it is reached by.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from urllib.parse import urlsplit

from starlette.responses import PlainTextResponse

from goldmark.web.security_headers import App, Receive, Scope, Send

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})  # health is asked for on the machine itself


class HostCheck:
    def __init__(self, app: App, public: Callable[[], str]) -> None:
        self._app, self._public = app, public

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        public = self._public()
        if scope["type"] == "http" and public:
            given = next((value for key, value in scope["headers"] if key == b"host"), b"")
            named = _name(f"//{given.decode('latin-1')}")
            if named != _name(public) and named not in LOOPBACK:
                said = f"this server is at {public}; a proxy before it must pass on the header Host\n"
                await PlainTextResponse(said, status_code=421)(scope, receive, send)
                return
        await self._app(scope, receive, send)


@lru_cache(maxsize=64)
def _name(address: str) -> str:
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""
