"""What the stand-in for Mechanical Turk keeps of hits, assignments and bonuses, and what it charges."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from decimal import ROUND_HALF_UP, Decimal


@dataclass
class TurkAssignment:
    id: str
    hit: str
    worker: str
    accepted: datetime
    deadline: datetime
    state: str = "Accepted"  # Submitted, Approved, Rejected, Returned, Abandoned
    submitted: datetime | None = None
    decided: datetime | None = None
    answer: dict[str, str] = field(default_factory=dict)
    feedback: str = ""


@dataclass
class Hit:
    id: str
    kind: str
    places: int
    expires: datetime
    question: str
    annotation: str
    token: str
    made: datetime


@dataclass
class Bonus:
    worker: str
    assignment: str
    amount: Decimal
    reason: str
    token: str
    at: datetime


def money(text: str) -> Decimal:
    return Decimal(text).quantize(Decimal("0.01"))


def commission(amount: Decimal, *, masters: bool, many: bool) -> Decimal:
    """The price list: 20 %, 20 % more from ten assignments on, 5 % more for masters, at least a cent."""
    share = Decimal("0.20") + (Decimal("0.20") if many else 0) + (Decimal("0.05") if masters else 0)
    return max(Decimal("0.01"), (amount * share).quantize(Decimal("0.01"), ROUND_HALF_UP))
