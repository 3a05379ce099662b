"""Where the errors of one cluster of overlapping pieces begin and end.

Tokens that enough people marked are the zones of the cluster. In a zone, the number of errors is what most people
reported there (the smaller number between equals); its tokens are those that more than half of its finders marked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from goldmark.curation.proposals.align import Piece
from goldmark.curation.proposals.forms import ProposedError
from goldmark.records.spans import Span

Reading = Sequence[Span]  # the distinct spans of one annotator, from left to right


def settle(cluster: Sequence[Piece], least: int) -> list[ProposedError]:
    """The errors of a cluster that at least so many people found, from left to right; they never overlap."""
    if len({piece.annotator for piece in cluster}) < least:
        return []
    zones = _zones(cluster, least)
    errors: list[ProposedError] = []
    floor = 0
    for place, zone in enumerate(zones):
        ceiling = zones[place + 1].start if place + 1 < len(zones) else max(piece.span.end for piece in cluster)
        for span in _spans(cluster, zone, floor, ceiling):
            members = [piece for piece in cluster if piece.span.overlaps(span)]
            if len({piece.annotator for piece in members}) >= least:
                errors.append(ProposedError(span, members))
                floor = span.end
    return errors


def _zones(cluster: Sequence[Piece], least: int) -> list[Span]:
    votes = _votes((piece.annotator, [piece.span]) for piece in cluster)
    zones = list(_runs(sorted(position for position, people in votes.items() if len(people) >= least)))
    if zones:
        return zones
    # Enough people, but no token that all of them share: the span that touches most of their marks, if that is enough.
    touched = {
        piece.span: len({other.annotator for other in cluster if other.span.overlaps(piece.span)}) for piece in cluster
    }
    best = min(touched, key=lambda span: (-touched[span], len(span), span))
    return [best] if touched[best] >= least else []


def _spans(cluster: Sequence[Piece], zone: Span, floor: int, ceiling: int) -> Iterator[Span]:
    readings: dict[str, list[Span]] = {}
    for piece in cluster:
        if piece.span.overlaps(zone):
            mine = readings.setdefault(piece.annotator, [])
            if piece.span not in mine:
                mine.append(piece.span)
    for mine in readings.values():
        mine.sort()
    counts = Counter(len(mine) for mine in readings.values())
    parts = min(counts, key=lambda count: (-counts[count], count))
    # Whoever marked it as fewer or more does not say where each of the parts begins and ends.
    split = [mine for mine in readings.values() if len(mine) == parts] if parts > 1 else []
    slots = [[[mine[part]] for mine in split] for part in range(parts)] if split else [list(readings.values())]
    taken = floor
    for part, slot in enumerate(slots):
        # A token that two parts claim goes to the part with more votes, and to the first between equals.
        rivals = _counted(span for mine in (slots[part + 1] if part + 1 < len(slots) else []) for span in mine)
        span = _agreed(slot, zone, taken, ceiling, rivals)
        if span is not None:
            yield span
            taken = span.end


def _agreed(
    readings: Sequence[Reading], zone: Span, floor: int, ceiling: int, rivals: Mapping[int, int]
) -> Span | None:
    """The tokens that more than half of these readings marked; where there are none, the span that most chose."""
    votes = _counted(position for mine in readings for position in {one for span in mine for one in span.positions()})
    free = [position for position in sorted(votes) if floor <= position < ceiling]
    free = [position for position in free if rivals.get(position, 0) <= votes[position]]
    runs = list(_runs([position for position in free if 2 * votes[position] > len(readings)]))
    touching = [run for run in runs if run.overlaps(zone)]
    if touching:
        return max(touching, key=lambda run: (min(run.end, zone.end) - max(run.start, zone.start), -run.start))
    chosen = Counter(span for mine in readings for span in mine)
    for span in sorted(chosen, key=lambda span: (-chosen[span], len(span), span)):
        start, end = max(span.start, floor), min(span.end, ceiling)
        if start < end:
            return Span(start, end)
    return None


def _counted(positions: Iterable[Span | int]) -> Counter[int]:
    votes: Counter[int] = Counter()
    for one in positions:
        votes.update(one.positions() if isinstance(one, Span) else (one,))
    return votes


def _votes(readings: Iterable[tuple[str, Reading]]) -> dict[int, set[str]]:
    votes: dict[int, set[str]] = {}
    for annotator, spans in readings:
        for span in spans:
            for position in span.positions():
                votes.setdefault(position, set()).add(annotator)
    return votes


def _runs(positions: Sequence[int]) -> Iterator[Span]:
    start = 0
    for place, position in enumerate(positions):
        if place + 1 == len(positions) or positions[place + 1] != position + 1:
            yield Span(positions[start], position + 1)
            start = place + 1
