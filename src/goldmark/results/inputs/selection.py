"""Which answers results are made from: by system, condition, person and date, with and without the excluded."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, time
from typing import TYPE_CHECKING

from goldmark.errors import Missing
from goldmark.observations.filter import Filter

if TYPE_CHECKING:
    from goldmark.observations.frames import Observations


class NotThere(Missing):
    code = "RESULTS-14"
    message = "campaign {campaign!r} has no {what} {name!r}; it has {known}"


def refuse_unknown(found: Observations) -> None:
    """A misspelt system, condition or person is told, instead of results about nobody."""
    people = found["people"].cells
    known = {
        "system": (found.wanted.systems, found.systems()),
        "condition": (
            found.wanted.conditions,
            sorted({*people["condition"], *found["texts"].cells["condition"]} - {""}),
        ),
        "annotator": (found.wanted.annotators, sorted(people["annotator"])),
    }
    for what, (wanted, there) in known.items():
        for name in sorted(wanted - set(there)):
            raise NotThere(campaign=found.campaign, what=what, name=name, known=", ".join(there) or "none")


BY = "system"  # what is compared unless somebody chooses otherwise


def chosen(
    *,
    systems: Sequence[str] = (),
    conditions: Sequence[str] = (),
    annotators: Sequence[str] = (),
    since: datetime | None = None,
    until: datetime | None = None,
    excluded: bool = False,
    tests: bool = False,
    models: bool = False,
) -> Filter:
    """A filter from what somebody chose; times without a zone are UTC."""
    return Filter(
        tests=tests,
        excluded=excluded,
        models=models,
        systems=frozenset(systems),
        conditions=frozenset(conditions),
        annotators=frozenset(annotators),
        since=in_utc(since),
        until=in_utc(until),
    )


def in_utc(time: datetime | None) -> datetime | None:
    """A moment with its time zone; without one it is meant in UTC."""
    if time is None:
        return None
    return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)


def parameters(by: str, wanted: Filter) -> Iterator[tuple[str, str]]:
    """What was chosen as pairs of name and value, under the names that pages, API and command share.

    Only what differs from the usual is in it, so that an address or a command says no more than it must.
    """
    if by != BY:
        yield "by", by
    for name, some in (("system", wanted.systems), ("condition", wanted.conditions), ("annotator", wanted.annotators)):
        yield from ((name, one) for one in sorted(some))
    for name, moment in (("since", wanted.since), ("until", wanted.until)):
        if moment is not None:
            yield name, moment.date().isoformat() if moment.time() == time() else moment.isoformat()
    for name, on in (
        ("with_excluded", wanted.excluded),
        ("with_tests", wanted.tests),
        ("with_models", wanted.models),
    ):
        if on:
            yield name, "true"


def command(campaign: str, by: str, wanted: Filter, *options: str) -> str:
    """The command that computes the same figures again."""
    words = ["goldmark", "campaign", "results", campaign, *options]
    for name, value in parameters(by, wanted):
        option = f"--{name.replace('_', '-')}"
        words.append(option if value == "true" and name.startswith("with_") else f"{option}={value}")
    return shlex.join(words)


def described(wanted: Filter) -> list[str]:
    """Which answers were chosen, in words; nothing where everything that counts is in."""
    said = []
    for name, some in (("system", wanted.systems), ("condition", wanted.conditions), ("annotator", wanted.annotators)):
        if some:
            said.append(f"only {name}{'s' * (len(some) > 1)} {', '.join(sorted(some))}")
    if wanted.since is not None:
        said.append(f"only answers from {wanted.since:%Y-%m-%d} on")
    if wanted.until is not None:
        said.append(f"only answers before {wanted.until:%Y-%m-%d}")
    return said
