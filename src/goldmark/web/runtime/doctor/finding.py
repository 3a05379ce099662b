"""One thing that was looked at."""

from __future__ import annotations

from typing import Literal, NamedTuple


class Diagnosis(NamedTuple):
    """One thing that was looked at."""

    what: str
    state: Literal["ok", "look", "wrong"]
    said: str
    remedy: str = ""
