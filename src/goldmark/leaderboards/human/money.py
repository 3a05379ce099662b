"""What rounds cost: in decimal, to the cent, and so that parts add up to the whole."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal
from typing import Any, TypeVar

from goldmark.leaderboards.definition.settings import BoardSettings

CENT = Decimal("0.01")
Key = TypeVar("Key")


def planned_cost(settings: BoardSettings, entries: int, chosen: int) -> Decimal:
    """What a round of so many systems costs, test questions included."""
    human = settings.human
    tests = Decimal(str(human.test_questions.positive + human.test_questions.negative))
    labels = entries * chosen * human.labels_per_unit / max(Decimal("0.5"), 1 - tests)
    return to_cents(labels * human.pay.per_unit)


def to_cents(amount: Decimal) -> Decimal:
    return amount.quantize(CENT, ROUND_HALF_UP)


def shared_out(total: Decimal, weights: Mapping[Key, int]) -> dict[Key, Decimal]:
    """An amount to the cent, shared in proportion; what rounding leaves goes to the largest remainders, in order."""
    whole = sum(weights.values())
    if not whole:
        return {}
    exact = {key: total * weight / whole for key, weight in weights.items()}
    shares = {key: amount.quantize(CENT, ROUND_DOWN) for key, amount in exact.items()}
    left = int((total - sum(shares.values(), Decimal(0))) / CENT)
    by_remainder = sorted(exact, key=lambda key: shares[key] - exact[key])  # stable: equal remainders keep their order
    for key in by_remainder[:left]:
        shares[key] += CENT
    return shares


def spent_on(facts: Mapping[str, Any]) -> Decimal:
    """What a round has cost, or will, from the facts that are kept with it."""
    return Decimal(str(facts.get("cost", facts.get("cost planned", 0))))
