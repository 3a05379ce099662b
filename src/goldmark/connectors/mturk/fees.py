"""What Amazon takes: a fifth of what people get, at least a cent each time; of masters a twentieth more.

From Amazon's price list. For hits with ten or more assignments it takes twice as much, which is why we never make any.
"""

from __future__ import annotations

PERCENT = 20
MASTERS = 5
LARGEST_HIT = 9


def fee(amount: int, *, masters: bool = False) -> int:
    """Of a payment in cents; half a cent counts as a whole one."""
    if amount <= 0:
        return 0
    percent = PERCENT + (MASTERS if masters else 0)
    return max(1, (amount * percent + 50) // 100)
