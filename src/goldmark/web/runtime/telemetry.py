"""What this server process has done, counted for those who run it, and a line for each request for their logs.

Only the pattern of an address is kept, never the address: personal links are secrets, and a campaign's name is nobody
else's business. Plain ASGI and a few additions: this runs on the path of each answer.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from goldmark.web.security_headers import ANNOTATORS_PAGES, App, Message, Receive, Scope, Send

BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)  # seconds
ANNOTATORS = ("/api/v1/work", *ANNOTATORS_PAGES)
EVERY = 5.0  # seconds after which the other processes know what this one has counted
TOLD = ".told"
_log = logging.getLogger("goldmark.requests")


class Telemetry:
    def __init__(self) -> None:
        self.began = time.time()
        self.place = 1  # among the processes of one server; not its number, which would be another after each start
        self._folder: Path | None = None
        self._replies: Counter[tuple[str, str, int]] = Counter()
        self._times: dict[str, list[int]] = {}
        self._seconds: Counter[str] = Counter()

    def note(self, method: str, pattern: str, status: int, seconds: float) -> None:
        self._replies[method, pattern, status] += 1
        area = area_of(pattern)
        self._times.setdefault(area, [0] * (len(BOUNDS) + 1))[bisect_left(BOUNDS, seconds)] += 1
        self._seconds[area] += seconds  # type: ignore[assignment]

    def share(self, folder: Path, place: int) -> None:
        """Tell the other processes of this server every few seconds: whichever is asked tells of all."""
        self.place, self._folder = place, folder
        threading.Thread(target=self._publish, name="goldmark-metrics", daemon=True).start()

    def everybody(self) -> list[str]:
        """The lines of this process and of the others beside it."""
        parts = {self.place: list(self.lines())}
        for path in self._folder.glob(f"*{TOLD}") if self._folder else ():
            with suppress(OSError):
                parts.setdefault(int(path.stem), path.read_text(encoding="utf-8").splitlines())
        return list(together(parts[place] for place in sorted(parts)))

    def _publish(self) -> None:
        while self._folder is not None and self._folder.is_dir():
            new = self._folder / f"{self.place}.new"
            with suppress(OSError):
                new.write_text("\n".join(self.lines()), encoding="utf-8")
                new.replace(new.with_suffix(TOLD))
            time.sleep(EVERY)

    def lines(self) -> Iterator[str]:
        """In Prometheus' text format."""
        own = f'process="{self.place}"'
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
        times = os.times()
        yield "# HELP process_cpu_seconds_total Processor time of this server process."
        yield "# TYPE process_cpu_seconds_total counter"
        yield f"process_cpu_seconds_total{{{own}}} {times.user + times.system:.2f}"
        try:
            pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
        except OSError:  # only where the system tells
            return
        yield "# HELP process_resident_memory_bytes Memory of this server process."
        yield "# TYPE process_resident_memory_bytes gauge"
        yield f"process_resident_memory_bytes{{{own}}} {pages * os.sysconf('SC_PAGE_SIZE')}"


def together(parts: Iterable[Iterable[str]]) -> Iterator[str]:
    """The lines of several processes, those of each metric in one place, as the format asks for."""
    found: dict[str, dict[str, None]] = {}
    for lines in parts:
        name = ""
        for line in lines:
            name = line.split()[2] if line.startswith("#") else name
            found.setdefault(name, {})[line] = None  # what a metric is stands there once
    for same in found.values():
        yield from same


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
