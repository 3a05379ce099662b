"""Which of the two texts of a comparison somebody sees first.

A unit's labels take turns: whoever comes sees first what fewer of those who hold a place of it see first, so that
within a unit the two orders never differ by more than one, unless people leave or come back late. Where the unit leaves
it open, as for its first label, the person's own draw decides: their work is cut into blocks of four, and in each block
two places, randomly drawn, begin with the one text and two with the other. So nobody's work leans far to one order, and
nobody can tell the next one: the draw hangs on a key that only the server knows. A test question has no places to take
turns at; there the draw decides alone.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from goldmark.campaigns.assignments.strata import chance
from goldmark.protocols.shown_order import TextPair

BLOCK = 4  # small, because many people do only a few units


class OrderDraw(NamedTuple):
    """The roles of the two texts, and which of them is shown first where the unit leaves it open."""

    first: str
    second: str
    drawn: str


def draw(pair: TextPair, ordinal: int, key: bytes) -> OrderDraw:
    """For the unit of someone who has done `ordinal` others; `key` is theirs, and they do not know it."""
    block, place = divmod(ordinal, BLOCK)
    return OrderDraw(pair.first, pair.second, pair.first if place in _begin_with_first(block, key) else pair.second)


@lru_cache(maxsize=4_096)
def _begin_with_first(block: int, key: bytes) -> frozenset[int]:
    places = sorted(range(BLOCK), key=lambda place: chance(key, "shown first", block * BLOCK + place))
    return frozenset(places[: BLOCK // 2])
