"""A span has one meaning everywhere inside Goldmark, and it is checked when the span is made."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import overload

from goldmark.errors import GoldmarkError


class EmptyOrReversedSpan(GoldmarkError):
    code = "SPAN-01"
    message = "span {start}-{end} is empty or reversed; it must start at 0 or later and end after its start"


@dataclass(frozen=True, order=True, slots=True)
class Span:
    """Positions `start` up to, not including, `end`; of tokens unless the name says characters."""

    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end:
            raise EmptyOrReversedSpan(start=self.start, end=self.end)

    def __len__(self) -> int:
        return self.end - self.start

    def overlaps(self, other: Span) -> bool:
        return self.start < other.end and other.start < self.end

    def positions(self) -> range:
        return range(self.start, self.end)


MOST_SHARED = 1 << 16


@lru_cache(maxsize=MOST_SHARED, typed=True)
def shared_span(start: int, end: int) -> Span:
    """Tokens of many texts stand at the same places: one object for all of them is a tenth of the memory, and made
    sooner. In a file that somebody wrote, a place may be anything."""
    for place in (start, end):
        if type(place) is not int:
            raise TypeError(f"{place!r} is no whole number")
    return Span(start, end)


class _Known(dict[tuple[int, int], Span]):
    """The same objects by their places, found in half the time."""

    def __missing__(self, place: tuple[int, int]) -> Span:
        if len(self) == MOST_SHARED:
            self.clear()
        made = self[place] = shared_span(*place)
        return made


def shared_spans(places: Iterable[tuple[int, int]]) -> list[Span]:
    """Spans at places that are whole numbers for sure, as those that a pattern finds."""
    return list(map(_KNOWN.__getitem__, places))


_KNOWN = _Known()


def covering(tokens: Sequence[Sequence[int]], start: int, end: int) -> Span | None:
    """All tokens, given by their characters, that these characters touch; None if they touch white space only."""
    first = bisect_right(tokens, start, key=lambda token: token[1])
    last = bisect_left(tokens, end, key=lambda token: token[0])
    return Span(first, last) if first < last else None


class Places(Sequence[tuple[int, int]]):
    """The tokens of a text as plain pairs, made when one is looked at: most answers refer to a few of them."""

    __slots__ = ("_tokens",)

    def __init__(self, tokens: Sequence[Span]) -> None:
        self._tokens = tokens

    def __len__(self) -> int:
        return len(self._tokens)

    @overload
    def __getitem__(self, position: int) -> tuple[int, int]: ...
    @overload
    def __getitem__(self, position: slice) -> Sequence[tuple[int, int]]: ...
    def __getitem__(self, position: int | slice) -> tuple[int, int] | Sequence[tuple[int, int]]:
        if isinstance(position, slice):
            return [(token.start, token.end) for token in self._tokens[position]]
        return self._tokens[position].start, self._tokens[position].end
