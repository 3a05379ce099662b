"""How far long work is, told to whoever waits for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

EVERY = 500  # rows between two words
Tell = Callable[[int, int | None, str], None]  # how many rows, of how many if that is known, and what is done with them
Row = TypeVar("Row")


def told_to_nobody(done: int, total: int | None, what: str) -> None:
    pass


def counted_rows(rows: Iterable[Row], total: int | None, what: str, tell: Tell) -> Iterator[Row]:
    """The same rows, telling how many have been gone through."""
    for number, row in enumerate(rows):
        if number % EVERY == 0:
            tell(number if total is None else min(number, total), total, what)
        yield row


def counted_calls(take: Callable[[Row], None], what: str, tell: Tell) -> Callable[[Row], None]:
    """The same function, telling how often it was called."""
    done = 0

    def counting(row: Row) -> None:
        nonlocal done
        if done % EVERY == 0:
            tell(done, None, what)
        done += 1
        take(row)

    return counting
