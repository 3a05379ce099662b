"""How many examples a property gets of which each takes long: a share of those that the others get."""

from __future__ import annotations

from hypothesis import settings


def one_in(number: int) -> int:
    return max(1, settings().max_examples // number)
