"""Which spans of two lists belong together."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from goldmark.records.spans import Span

TIE = 1e-9  # too small to outweigh any two shares of positions that differ


def overlap_themselves(spans: Sequence[Span]) -> bool:
    """Whether two spans of one list share a position."""
    ordered = sorted(spans)
    return any(first.end > second.start for first, second in pairwise(ordered))


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
    left = sorted(range(len(second)), key=lambda place: second[place])
    pairs = []
    for place in sorted(range(len(first)), key=lambda place: first[place]):
        span = first[place]
        for position, other in enumerate(left):
            if second[other].start >= span.end:
                break  # sorted by start: nothing further right can overlap
            if second[other].end > span.start:
                pairs.append((place, other))
                del left[position]
                break
    return pairs
