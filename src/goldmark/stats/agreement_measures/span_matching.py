"""Which spans of two lists belong together."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from goldmark.records.spans import Span

TIE = 1e-9  # too small to outweigh any two shares of positions that differ


Placed = tuple[int, int, int]  # start and end of a span, and its position in its list


def from_left(spans: Sequence[Span]) -> list[Placed]:
    """A list from left to right. Plain numbers are sorted many times faster than spans."""
    return sorted((span.start, span.end, place) for place, span in enumerate(spans))


def overlap_themselves(placed: Sequence[Placed]) -> bool:
    """Whether two spans of one list, given from left to right, share a position."""
    return any(first[1] > second[0] for first, second in pairwise(placed))


def best_pairs(first: Sequence[Span], second: Sequence[Span], same: Sequence[Sequence[bool]]) -> list[tuple[int, int]]:
    """Positions of spans that match, each span in one pair at most, so that pairs cover each other best.

    The sum over pairs of shared positions / all positions of both is the largest possible. Only where several matchings
    reach it, as with two marks on the same words, that with the most pairs of the `same` category is taken.
    """
    from scipy.optimize import linear_sum_assignment

    if not first or not second:
        return []
    (start, end), (other_start, other_end) = (
        np.array([(span.start, span.end) for span in spans], dtype=np.float64).T for spans in (first, second)
    )
    shared = np.minimum(end[:, None], other_end) - np.maximum(start[:, None], other_start)
    both = np.maximum(end[:, None], other_end) - np.minimum(start[:, None], other_start)
    worth = np.where(shared > 0, shared / both, 0.0)
    rows, columns = linear_sum_assignment(worth + TIE * (np.asarray(same) & (worth > 0)), maximize=True)
    return [(int(row), int(column)) for row, column in zip(rows, columns, strict=True) if worth[row, column] > 0]


def overlapping_pairs(first: Sequence[Span], second: Sequence[Span]) -> list[tuple[int, int]]:
    """Positions of spans that match, from left to right, each span in one pair at most.

    Spans of the first list are gone through from left to right; each takes the first span from the left of the second
    list that shares a position with it and is not taken yet.
    """
    return overlapping(from_left(first), from_left(second))


def overlapping(first: Sequence[Placed], second: Sequence[Placed]) -> list[tuple[int, int]]:
    """The same of two lists that are given from left to right."""
    left = list(second)
    passed = 0  # how many of them end before anything that is still to come
    pairs = []
    for start, end, place in first:
        while passed < len(left) and left[passed][1] <= start:
            passed += 1
        for position in range(passed, len(left)):
            if left[position][0] >= end:
                break  # nothing further right can overlap
            if left[position][1] > start:
                pairs.append((place, left.pop(position)[2]))
                break
    return pairs
