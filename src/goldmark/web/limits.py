"""Slowing down those who try many passwords or join many times."""

from __future__ import annotations

import threading
import time
from collections import deque

from goldmark.errors import GoldmarkError, Kind

MOST_KEYS = 10_000


class TooManyTries(GoldmarkError):
    code = "LIMIT-01"
    kind = Kind.TOO_MANY
    message = "too many tries; wait {seconds} seconds and try again"


class RateLimiter:
    """At most `tries` in `seconds` for each key (an address, a name). Kept in this process's memory only."""

    def __init__(self) -> None:
        self._tries: dict[str, deque[float]] = {}
        self._lock = threading.Lock()

    def check(self, key: str, *, tries: int, seconds: float) -> None:
        now = time.monotonic()
        with self._lock:
            if len(self._tries) >= MOST_KEYS:
                self._forget(now, seconds)
            recent = self._tries.setdefault(key, deque())
            while recent and recent[0] <= now - seconds:
                recent.popleft()
            if len(recent) >= tries:
                raise TooManyTries(seconds=int(recent[0] + seconds - now) + 1)
            recent.append(now)

    def _forget(self, now: float, seconds: float) -> None:
        for key in [key for key, recent in self._tries.items() if not recent or recent[-1] <= now - seconds]:
            del self._tries[key]
        if len(self._tries) >= MOST_KEYS:
            self._tries.clear()  # a flood of keys: better forget than fill the memory
