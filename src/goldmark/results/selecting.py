"""Which answers results are made from: by system, condition, person and date, with and without the excluded."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from goldmark.observations.rows import Filter


def chosen(
    *,
    systems: Sequence[str] = (),
    conditions: Sequence[str] = (),
    annotators: Sequence[str] = (),
    since: datetime | None = None,
    until: datetime | None = None,
    excluded: bool = False,
    tests: bool = False,
) -> Filter:
    """A filter from what somebody chose; times without a zone are UTC."""
    return Filter(
        tests=tests,
        excluded=excluded,
        systems=frozenset(systems),
        conditions=frozenset(conditions),
        annotators=frozenset(annotators),
        since=_utc(since),
        until=_utc(until),
    )


def _utc(time: datetime | None) -> datetime | None:
    if time is None:
        return None
    return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
