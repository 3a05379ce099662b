"""What this server process has done, counted for those who run it, and a line for each request for their logs.

Only the pattern of an address is kept, never the address: personal links are secrets, and a campaign's name is nobody
else's business. Plain ASGI and a few additions: this runs on the path of each answer.
"""

from __future__ import annotations

import logging
import os
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator

from goldmark.web.security_headers import ANNOTATORS_PAGES, App, Message, Receive, Scope, Send

BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)  # seconds
ANNOTATORS = ("/api/v1/work", *ANNOTATORS_PAGES)
_log = logging.getLogger("goldmark.requests")


class Telemetry:
    def __init__(self) -> None:
        self.began = time.time()
        self._replies: Counter[tuple[str, str, int]] = Counter()
        self._times: dict[str, list[int]] = {}
        self._seconds: Counter[str] = Counter()

    def note(self, method: str, pattern: str, status: int, seconds: float) -> None:
        self._replies[method, pattern, status] += 1
        area = area_of(pattern)
        self._times.setdefault(area, [0] * (len(BOUNDS) + 1))[bisect_left(BOUNDS, seconds)] += 1
        self._seconds[area] += seconds  # type: ignore[assignment]

    def lines(self) -> Iterator[str]:
        """In Prometheus' text format. Every server process counts for itself."""
        own = f'process="{os.getpid()}"'
        yield "# HELP goldmark_replies_total Replies by method, address pattern and status."
        yield "# TYPE goldmark_replies_total counter"
        for (method, pattern, status), count in sorted(self._replies.items()):
            yield f'goldmark_replies_total{{{own},method="{method}",pattern="{pattern}",status="{status}"}} {count}'
        yield "# HELP goldmark_reply_seconds How long replies took, by whom they are for."
        yield "# TYPE goldmark_reply_seconds histogram"
        for area, counts in sorted(self._times.items()):
            below = 0
            for bound, count in zip((*map(str, BOUNDS), "+Inf"), counts, strict=True):
                below += count
                yield f'goldmark_reply_seconds_bucket{{{own},area="{area}",le="{bound}"}} {below}'
            yield f'goldmark_reply_seconds_sum{{{own},area="{area}"}} {self._seconds[area]:.6f}'
            yield f'goldmark_reply_seconds_count{{{own},area="{area}"}} {below}'
        yield "# HELP process_start_time_seconds When this server process started."
        yield "# TYPE process_start_time_seconds gauge"
        yield f"process_start_time_seconds{{{own}}} {self.began:.0f}"


class CountRequests:
    """Counts every reply, and logs it where somebody wants a log."""

    def __init__(self, app: App, telemetry: Telemetry) -> None:
        self._app, self._telemetry = app, telemetry

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, status = time.perf_counter(), 500

        async def send_noting(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, send_noting)
        finally:
            seconds, pattern = time.perf_counter() - began, _pattern(scope)
            self._telemetry.note(scope["method"], pattern, status, seconds)
            if _log.isEnabledFor(logging.INFO):
                facts = {
                    "method": scope["method"],
                    "pattern": pattern,
                    "status": status,
                    "ms": round(1000 * seconds, 1),
                }
                _log.info("reply", extra={"facts": facts})


def area_of(pattern: str) -> str:
    if pattern.startswith(ANNOTATORS):
        return "annotators"
    return "api" if pattern.startswith("/api/") else "static" if pattern == "/static" else "pages"


def _pattern(scope: Scope) -> str:
    """The route's own pattern, such as /campaigns/{name}; of what no route answers, nothing that a stranger chose."""
    found = getattr(scope.get("route"), "path", None)
    if isinstance(found, str):
        return found
    return "/static" if scope["path"].startswith("/static/") else "none"
