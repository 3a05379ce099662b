"""A program that is started with this folder on its path lives by a clock that a file moves, by so many seconds.

Python loads a module of this name before anything else. It stands in for `libfaketime` where that is not installed: all
that Goldmark knows of the time of day it knows from `datetime.now` and `time.time`.
"""

from __future__ import annotations

import datetime
import os
import time
from pathlib import Path
from typing import Any

_told = Path(os.environ["GOLDMARK_MOVED_CLOCK"])
_now = time.time
_Real = datetime.datetime


def _moved() -> float:
    try:
        return float(_told.read_text() or 0)
    except (OSError, ValueError):  # just being written
        return 0.0


class _Known(type):
    def __instancecheck__(cls, one: object) -> bool:
        return isinstance(one, _Real)

    def __subclasscheck__(cls, one: type) -> bool:
        return issubclass(one, _Real)


class MovedDatetime(_Real, metaclass=_Known):
    @classmethod
    def now(cls, tz: datetime.tzinfo | None = None) -> Any:
        return _Real.fromtimestamp(_now() + _moved(), tz)

    @classmethod
    def utcnow(cls) -> Any:
        return _Real.fromtimestamp(_now() + _moved(), datetime.UTC).replace(tzinfo=None)


datetime.datetime = MovedDatetime  # type: ignore[misc]
time.time = lambda: _now() + _moved()
