"""Which responses reviewers look at: a random part, decided by a seed and the names in them, so anyone can repeat it.

As with the order of units, the choice depends on nothing else: a response that arrives later changes none of the
others, and an exported campaign keeps its choice wherever it is imported.
"""

from __future__ import annotations

from goldmark.campaigns.definition.settings import Review
from goldmark.campaigns.definition.units.unit_order import rank


def is_checked(review: Review, unit: str, annotator: str) -> bool:
    """Whether this person's answer to this unit is one that reviewers look at."""
    return review.share >= 1 or _chance(review, "review", unit, annotator) < review.share


def reviewers_wanted(review: Review, unit: str, annotator: str) -> int:
    """How many reviewers judge its first version independently: two in the shared sample, else one."""
    return 2 if _chance(review, "reviewed twice", unit, annotator) < review.twice else 1


def _chance(review: Review, purpose: str, unit: str, annotator: str) -> float:
    """A number from 0 up to 1 that belongs to this response."""
    return int.from_bytes(rank(review.seed, purpose, f"{unit}\x1f{annotator}")[:8]) / 2**64
