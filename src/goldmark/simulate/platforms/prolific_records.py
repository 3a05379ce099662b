"""What the stand-in for Prolific keeps of studies, submissions and payments, and what it charges."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

HEX = "0123456789abcdef"
FEE, TAX = 0.333, 0.20  # of the reward; of the fee
TAKEN = ("RESERVED", "ACTIVE", "AWAITING REVIEW", "APPROVED", "REJECTED")


@dataclass
class ProlificStudy:
    id: str
    given: dict[str, Any]
    status: str = "UNPUBLISHED"
    rewards: int = 0  # charged so far, in cents
    bonuses: int = 0


@dataclass
class ProlificSubmission:
    id: str
    study: str
    person: str
    started: datetime
    deadline: datetime
    status: str = "ACTIVE"
    completed: datetime | None = None
    code: str | None = None
    bonuses: list[int] = field(default_factory=list)
    return_requested: datetime | None = None
    rejection: tuple[str, str] = ("", "")


@dataclass
class Bulk:
    id: str
    study: str
    lines: list[tuple[str, int]]


@dataclass
class Payment:
    """A bonus payment that was asked for and is carried out a little later."""

    bulk: Bulk
    due: datetime


def fees_of(amount: int) -> tuple[int, int]:
    """The fee of a payment and the tax on it, in cents."""
    fee = math.floor(amount * FEE + 0.5)
    return fee, math.floor(fee * TAX + 0.5)


def with_fees(amount: int) -> int:
    return amount + sum(fees_of(amount))
