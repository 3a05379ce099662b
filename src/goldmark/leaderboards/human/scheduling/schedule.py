"""When campaigns of a board are opened: on certain days at a certain local time, whatever the clocks do that day."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from goldmark.leaderboards.definition.settings import DAYS, Opening

YEARS_AHEAD = 2  # a date that is due again after leap years and the like is found long before


def next_opening(opening: Opening | None, now: datetime) -> datetime | None:
    """The first moment, from `now` on, at which a campaign may be opened; None after the last date.

    On the day on which clocks go forward over that very time, it is the same moment an hour on; on the day on which
    they go back it is the first of the two.
    """
    if opening is None:
        return now
    zone = ZoneInfo(opening.zone)
    day = now.astimezone(zone).date()
    if opening.first is not None and opening.first > day:
        day = opening.first
    for ahead in range(366 * YEARS_AHEAD):
        found = _moment(opening, day + timedelta(days=ahead), zone, now)
        if found is not None:
            return found
    return None


def _moment(opening: Opening, day: date, zone: ZoneInfo, now: datetime) -> datetime | None:
    if DAYS[day.weekday()] not in opening.days or (opening.last is not None and day > opening.last):
        return None
    moment = datetime.combine(day, opening.at, tzinfo=zone).astimezone(UTC)
    return moment if moment >= now else None
