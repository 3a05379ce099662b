"""Which spans of two lists belong together."""

from __future__ import annotations

from collections.abc import Sequence

from goldmark.records.spans import Span


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
