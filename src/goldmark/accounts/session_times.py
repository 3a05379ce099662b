"""How long somebody stays signed in, and how long it counts that they gave their password: three settings."""

from __future__ import annotations

import os
import re
from datetime import datetime, timedelta
from functools import lru_cache
from typing import NamedTuple

from goldmark.errors import GoldmarkError

IDLE, LONGEST, PROOF = "GOLDMARK_SESSION_IDLE", "GOLDMARK_SESSION_LASTS", "GOLDMARK_CONFIRM_AFTER"
UNITS = {"m": timedelta(minutes=1), "h": timedelta(hours=1), "d": timedelta(days=1)}
SHORTEST, MOST = timedelta(minutes=1), timedelta(days=365)
NOTE_EVERY = timedelta(hours=1)  # that a session was used


class SessionTimeNotUsable(GoldmarkError):
    code = "ACCOUNT-24"
    message = "{name} is {given!r}; write a number with its unit, from 1m to 365d, such as 30m, 12h or 14d"


class SessionTimes(NamedTuple):
    """`idle`: without a click. A night lies between two days of work, so the end of it is no end of a session."""

    idle: timedelta = timedelta(hours=24)
    longest: timedelta = timedelta(days=14)
    proof: timedelta = timedelta(minutes=15)  # between a password and what it is asked for again

    def ended(self, begun: datetime, used: datetime | None, now: datetime) -> bool:
        return now - (used or begun) >= self.idle or now - begun >= self.longest

    @property
    def note_every(self) -> timedelta:
        """Seldom enough that nobody waits for it, and often enough that a session ends at most a tenth too early."""
        return min(NOTE_EVERY, self.idle / 10)


def session_times() -> SessionTimes:
    """As whoever runs the server has set them."""
    return _read(*(os.environ.get(name, "") for name in (IDLE, LONGEST, PROOF)))


@lru_cache(maxsize=16)
def _read(*given: str) -> SessionTimes:
    return SessionTimes(
        *(
            span_of(name, words) if words.strip() else default
            for name, words, default in zip((IDLE, LONGEST, PROOF), given, SessionTimes(), strict=True)
        )
    )


def span_of(name: str, given: str) -> timedelta:
    found = re.fullmatch(r"([0-9]{1,6})([mhd])", given.strip())
    span = int(found.group(1)) * UNITS[found.group(2)] if found else timedelta()
    if not SHORTEST <= span <= MOST:
        raise SessionTimeNotUsable(name=name, given=given)
    return span


def said(span: timedelta) -> str:
    """A span as it is written, in the largest unit that fits."""
    unit, size = next((unit, size) for unit, size in reversed(UNITS.items()) if not span % size)
    return f"{span // size}{unit}"
