"""Which of the texts of a comparison somebody sees first; the order of the others follows (`protocols.shown_order`).

A unit's labels take turns: whoever comes sees first what fewest of those who hold a place of it see first, so that
within a unit no two orders differ by more than one, unless people leave or come back late. Where the unit leaves
it open, as for its first label, the person's own draw decides: their work is cut into blocks in which every text comes
first twice, at places that are randomly drawn. So nobody's work leans far to one order, and nobody can tell the next
one: the draw hangs on a key that only the server knows. A test question has no places to take turns at; it takes the
order that is due for the work in its place.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from goldmark.campaigns.assignments.strata import chance

TIMES = 2  # that every text comes first in a block; few, because many people do only a few units

OrderDraw = tuple[str, ...]  # the roles of the texts; the one drawn comes first, and the next where that one is not due


def draw(roles: Sequence[str], ordinal: int, key: bytes) -> OrderDraw:
    """For the unit of someone who has done `ordinal` others; `key` is theirs, and they do not know it."""
    block, place = divmod(ordinal, TIMES * len(roles))
    drawn = roles[_drawn_in(block, len(roles), key)[place]]
    others = [role for role in roles if role != drawn]
    return (drawn, *sorted(others, key=lambda role: chance(key, f"shown first, else {role}", ordinal)))


@lru_cache(maxsize=4_096)
def _drawn_in(block: int, texts: int, key: bytes) -> tuple[int, ...]:
    """By place in a block, which of the texts comes first."""
    length = TIMES * texts
    places = sorted(range(length), key=lambda place: chance(key, "shown first", block * length + place))
    return tuple(places.index(place) // TIMES for place in range(length))
