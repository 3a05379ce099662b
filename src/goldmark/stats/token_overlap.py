"""How far two people marked the same tokens of a text."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from typing import NamedTuple


class TokenOverlap(NamedTuple):
    """Counts of one text, which add up over texts; their ratio is F1."""

    both: int  # twice the tokens that both marked
    either: int  # tokens of the one plus tokens of the other


def token_overlap(first: AbstractSet[int], second: AbstractSet[int]) -> TokenOverlap:
    return TokenOverlap(2 * len(first & second), len(first) + len(second))


def token_f1(first: AbstractSet[int], second: AbstractSet[int]) -> float:
    """F1 of two sets of tokens; two people who both marked nothing agree."""
    both, either = token_overlap(first, second)
    return both / either if either else 1.0
