"""How long is waited for platforms. Rehearsals and tests let time pass faster."""

from __future__ import annotations

import os
from datetime import timedelta

PACE = "GOLDMARK_REHEARSAL_PACE"


def waits(how_long: timedelta) -> timedelta:
    """So long, or so many times shorter as a rehearsal says."""
    given = os.environ.get(PACE, "")
    return how_long / float(given) if given else how_long
