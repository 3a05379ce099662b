"""Units lie in strata, and here is decided from which of them a person's next unit comes.

Test questions lie in strata of their own. They are mixed into everybody's work at set rates: each person's work is cut
into blocks of twenty, every block gets its share of test questions, and their places in it are drawn at random. So the
rates hold exactly in the long run and nearly in every stretch, nobody gets a test question at the same moment as
somebody else, and nobody can tell when the next one comes: the draw hangs on a key that only the server knows.

A condition says in which proportion its people's batches are mixed from strata. What does not come out even is settled
at random for each person, so that over many people the proportion holds exactly: of one human text to one machine
text, a batch of five holds two of each and one more at random. The order within a batch is random as well.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from functools import lru_cache
from math import floor
from typing import Any, NamedTuple

from goldmark.campaigns.definition.settings import Settings, TestQuestions
from goldmark.records.units import SIGNS, Sign, sign_of

WORK = "work"
BLOCK = 20


class Placement(NamedTuple):
    """Where a unit lies, whether answers to it are results, and of what it is a version."""

    stratum: str
    counts: bool
    item: str | None = None


class DueTestQuestion(NamedTuple):
    """A test question is due, or is looked for as if it were."""

    stratum: str
    place: float  # from 0 up to 1: where in the stratum to begin looking
    due: bool = True


class NextSource(NamedTuple):
    """Where a person's next unit comes from."""

    work: tuple[str, ...]  # strata, in the order in which they are tried
    test: DueTestQuestion | None  # goes first if it is due, but only while there is work left; None: there are none


def placement_of(hidden: Mapping[str, Any]) -> Placement:
    """The stratum of a unit, from its hidden facts, so that an exported campaign keeps it."""
    sign, item = sign_of(hidden), hidden.get("item")
    named = None if item is None or item == "" else str(item)
    if sign is not None:
        return Placement(f"test-{sign}", counts=False, item=named)
    return Placement(named_stratum(hidden) or WORK, counts=True, item=named)


def named_stratum(hidden: Mapping[str, Any]) -> str | None:
    """The stratum that a row names. Files and databases of older versions call it `drawer`."""
    named = hidden.get("stratum", hidden.get("drawer"))
    return named if isinstance(named, str) and named else None


class WorkerPosition(NamedTuple):
    """Under which condition someone works, and where in which batch they are."""

    condition: str | None = None
    batch: int = 1
    batch_done: int = 0


NOWHERE = WorkerPosition()


def next_source(settings: Settings, ordinal: int, key: bytes, place: WorkerPosition = NOWHERE) -> NextSource:
    """What someone gets who has done `ordinal` units so far; `key` is theirs, and they do not know it."""
    return NextSource(work_strata(settings, place, key), due(settings.test_questions, ordinal, key))


def work_strata(settings: Settings, place: WorkerPosition, key: bytes) -> tuple[str, ...]:
    """The strata to try: the one that is due, then the others of the mix, rather than sending someone away."""
    condition = next((one for one in settings.conditions if one.name == place.condition), None)
    if condition is None or not condition.mix:
        return (WORK,)
    mix = condition.mix
    batch = mixed(tuple(mix.items()), settings.batch.size or sum(mix.values()), place.batch, key)
    now = batch[place.batch_done % len(batch)]
    return (now, *(stratum for stratum in mix if stratum != now))


@lru_cache(maxsize=4_096)
def mixed(mix: tuple[tuple[str, int], ...], size: int, batch: int, key: bytes) -> tuple[str, ...]:
    """The strata of a batch in the order in which they come.

    Each stratum gets the whole part of its share; the rest is drawn systematically along the fractions, from a random
    start, so that a stratum's expected number is exactly its share.
    """
    total = sum(weight for _, weight in mix)
    chosen: list[str] = []
    so_far, start = 0, chance(key, "rest", batch)
    for stratum, weight in mix:
        whole, rest = divmod(size * weight, total)
        before, so_far = so_far, so_far + rest
        chosen += [stratum] * (whole + floor(so_far / total + start) - floor(before / total + start))
    # Every place has a draw of its own, so that no stratum comes first because it is named first.
    draws = [(chance(key, f"mix {batch}", number), stratum) for number, stratum in enumerate(chosen)]
    return tuple(stratum for _, stratum in sorted(draws))


def due(rates: TestQuestions, ordinal: int, key: bytes) -> DueTestQuestion | None:
    """Whether the unit after `ordinal` others is a test question for the person with this key, and which.

    Where none is due, one is named all the same, to be looked for and left: looking takes time that would be missed.
    """
    if not (rates.positive or rates.negative):
        return None
    block, place = divmod(ordinal, BLOCK)
    sign = _signs(rates.positive, rates.negative, block, key).get(place)
    where = chance(key, "place", ordinal)
    if sign is not None:
        return DueTestQuestion(f"test-{sign}", where)
    positive = chance(key, "looked for", ordinal) * (rates.positive + rates.negative) < rates.positive
    return DueTestQuestion(f"test-{SIGNS[0] if positive else SIGNS[1]}", where, due=False)


@lru_cache(maxsize=4_096)
def _signs(positive: float, negative: float, block: int, key: bytes) -> Mapping[int, Sign]:
    """Which places of a block are test questions."""
    places = sorted(range(BLOCK), key=lambda place: chance(key, "lot", block * BLOCK + place))
    found: dict[int, Sign] = {}
    for sign, rate in zip(SIGNS, (positive, negative), strict=True):
        # Everyone starts at a random fraction of a question: a rate that gives less than one in a block is kept too.
        start = chance(key, sign, 0)
        due = floor((block + 1) * BLOCK * rate + start) - floor(block * BLOCK * rate + start)
        for _ in range(due):
            found[places.pop()] = sign
    return found


def chance(key: bytes, purpose: str, number: int) -> float:
    """A number from 0 up to 1, always the same for the same key."""
    return int.from_bytes(hmac.digest(key, f"{purpose} {number}".encode(), "sha256")[:6]) / 2**48
