"""A figure: a number that says how it was made and how sure it is, or why there is none."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple


class Interval(NamedTuple):
    low: float
    high: float
    level: float = 0.95


@dataclass(frozen=True)
class Undefined:
    """No number, and why. Never 0, -1 or NaN in its place."""

    reason: str


@dataclass(frozen=True)
class Figure:
    """A value with its interval, or the reasons why either is missing."""

    value: float | None
    interval: Interval | None = None
    reason: str = ""  # why there is no value, or no interval
    used: int | None = None  # how many observations it rests on
    skipped: int | None = None  # how many were left out

    def __post_init__(self) -> None:
        if self.value is None and not self.reason:
            raise ValueError("a figure without a value needs a reason")


@dataclass(frozen=True)
class Signature:
    """How a figure was made, in one line, in the manner of sacrebleu: `method:...|seed:...|v:...`."""

    parts: tuple[tuple[str, str], ...] = field(default=())

    @classmethod
    def of(cls, **parts: object) -> Signature:
        from goldmark import __version__

        return cls((*tuple((key, str(value)) for key, value in parts.items()), ("v", __version__)))

    def __str__(self) -> str:
        return "|".join(f"{key}:{value}" for key, value in self.parts)


def counted(number: int, noun: str, plural: str = "") -> str:
    """`1 label`, `2 labels`, `1,200 labels`, `1 person`, `2 people`: how every message, table and page says a count."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"
