"""The best alignment of several annotators' spans: which of them mean the same thing.

Spans of different annotators are put into groups of at most one span each. A group's disorder is the mean dissimilarity
of its pairs, an empty place costing 1 against anything; the best alignment has the least total disorder (Mathet et al.
2015, see `gamma`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from goldmark.errors import GoldmarkError, Kind
from goldmark.stats.inference.bootstrap import Floats

Whole = NDArray[np.int64]

MOST_GROUPS = 300_000  # possible groups of one text; beyond this the programme would not be solved in reasonable time
SEARCHED = 10  # clusters of at most so many spans are searched through instead of given to the solver


class TooManyAlignments(GoldmarkError):
    code = "GAMMA-01"
    kind = Kind.FAILED
    message = "{annotators} annotators with {spans} spans in one text can be aligned in too many ways"


class NotSolved(GoldmarkError):
    code = "GAMMA-02"
    kind = Kind.FAILED
    message = "the best alignment was not found: {reason}"


@dataclass(frozen=True)
class AnnotatorMarks:
    """What one annotator marked in one text: tokens `starts` up to, not including, `ends`, and coded categories."""

    starts: Whole
    ends: Whole
    labels: Whole

    @classmethod
    def of(cls, spans: Sequence[tuple[int, int, int]]) -> AnnotatorMarks:
        table = np.array(spans, dtype=np.int64).reshape(-1, 3)
        return cls(table[:, 0], table[:, 1], table[:, 2])

    def __len__(self) -> int:
        return len(self.starts)

    def shifted(self, by: int, length: int) -> AnnotatorMarks:
        """Moved along the text; what would start after its end comes in again at the front."""
        start = self.starts + by
        back = np.where(start >= length, length, 0)
        return AnnotatorMarks(start - back, self.ends + by - back, self.labels)


@dataclass(frozen=True)
class MarkedText:
    """A text of `length` tokens and the marks of everyone who saw it, also of those who marked nothing."""

    length: int
    annotators: tuple[AnnotatorMarks, ...]

    @property
    def mean_marks(self) -> float:
        return sum(map(len, self.annotators)) / len(self.annotators)


def disorders(texts: Sequence[MarkedText]) -> Floats:
    """The disorder of the best alignment of each text: the sum of its groups' disorders.

    Which groups to choose is an integer programme: every span in exactly one group, at the least cost. All texts are
    solved at once, because they do not touch each other and a solver's start costs more than its work.
    """
    groups = [possible_groups(text) for text in texts]
    spans = [sum(map(len, text.annotators)) for text in texts]
    total = sum(spans)
    result = np.zeros(len(texts))
    if not total:
        return result
    first_span = np.concatenate([[0], np.cumsum(spans)[:-1]])
    cost = np.concatenate([costs for _, costs in groups])
    text_of = np.repeat(np.arange(len(texts)), [len(costs) for _, costs in groups])
    member_parts, group_parts, before = [], [], 0
    for (members, costs), first in zip(groups, first_span, strict=True):
        group, place = np.nonzero(members >= 0)
        member_parts.append(members[group, place] + first)
        group_parts.append(group + before)
        before += len(costs)
    chosen = _cheapest_cover(np.concatenate(member_parts), np.concatenate(group_parts), cost, total)
    np.add.at(result, text_of[chosen], cost[chosen])
    return result


def possible_groups(text: MarkedText) -> tuple[Whole, Floats]:
    """Groups that a best alignment may contain, and their disorders.

    A row has for each annotator the position of one of the text's spans (all annotators' spans in a row), or -1. Groups
    that would be cheaper if taken apart are left out: with C pairs of annotators, a span whose dissimilarities to the
    k - 1 others of its group exceed C + k - 1 in sum had better stand alone.
    """
    annotators = len(text.annotators)
    pairs = annotators * (annotators - 1) / 2
    if sum(1 for marks in text.annotators if len(marks)) < 2:  # nothing to align: every span stands alone
        alone = [np.arange(len(marks)) if len(marks) else -1 for marks in text.annotators]
        rows = np.stack(np.broadcast_arrays(*alone), axis=1) if text.mean_marks else np.zeros((0, annotators), np.int64)
        return rows, np.ones(len(rows))
    apart = dissimilarities(text)
    width = len(apart)
    padded = np.zeros((width + 1, width + 1))  # index -1 is the empty place, whose costs are counted apart
    padded[:width, :width] = apart
    rows = np.zeros((1, 0), dtype=np.int64)
    within = np.zeros(1)
    first = 0
    for marks in text.annotators:
        if not len(marks):  # an empty place in every group changes nothing
            rows = np.concatenate([rows, np.full((len(rows), 1), -1)], axis=1)
            continue
        choices = np.concatenate([[-1], np.arange(first, first + len(marks))])
        first += len(marks)
        added = padded[rows[:, :, None], choices].sum(axis=1) if rows.shape[1] else np.zeros((1, len(choices)))
        sums = within[:, None] + added
        members = (rows >= 0).sum(axis=1)[:, None] + (choices >= 0)
        # Taking all these spans out of any group they may be part of must not be cheaper than leaving them in it.
        bound = members * pairs + pairs - (annotators - members) * (annotators - members - 1) / 2
        row, choice = np.nonzero(sums <= bound)
        if len(row) > MOST_GROUPS:
            raise TooManyAlignments(annotators=annotators, spans=width)
        rows = np.concatenate([rows[row], choices[choice][:, None]], axis=1)
        within = sums[row, choice]
    members = (rows >= 0).sum(axis=1)
    each = padded[rows[:, :, None], rows[:, None, :]].sum(axis=2)
    worth = (members > 0) & ((rows < 0) | (each <= pairs + (members - 1)[:, None])).all(axis=1)
    rows, within, members = rows[worth], within[worth], members[worth]
    cost: Floats = (within + pairs - members * (members - 1) / 2) / pairs
    return rows, cost


def dissimilarities(text: MarkedText) -> Floats:
    """Of every two spans: how far their ends are apart over the sum of lengths, squared, plus 1 if labels differ."""
    starts = np.concatenate([marks.starts for marks in text.annotators]).astype(np.float64)
    ends = np.concatenate([marks.ends for marks in text.annotators]).astype(np.float64)
    labels = np.concatenate([marks.labels for marks in text.annotators])
    lengths = ends - starts
    moved = np.abs(starts[:, None] - starts) + np.abs(ends[:, None] - ends)
    position = (moved / (lengths[:, None] + lengths)) ** 2
    result: Floats = position + (labels[:, None] != labels)
    return result


def _cheapest_cover(member: Whole, group: Whole, cost: Floats, spans: int) -> list[int]:
    """Groups that hold every span exactly once at the least cost.

    Spans that no group connects do not influence each other. Small clusters of connected spans are searched through,
    which takes microseconds; all large ones make up one integer programme.
    """
    members: list[list[int]] = [[] for _ in cost]
    for place, number in zip(member.tolist(), group.tolist(), strict=True):
        members[number].append(place)
    clusters: dict[int, list[int]] = {}
    root = _roots(members, spans)
    for number, places in enumerate(members):
        clusters.setdefault(root[places[0]], []).append(number)
    chosen: list[int] = []
    large: list[int] = []
    for numbers in clusters.values():
        places = sorted({place for number in numbers for place in members[number]})
        if len(places) <= SEARCHED:
            chosen += _search(places, numbers, members, cost)
        else:
            large += numbers
    return chosen + _programme(large, members, cost) if large else chosen


def _roots(members: Sequence[Sequence[int]], spans: int) -> list[int]:
    """For every span one span that stands for its cluster."""
    parent = list(range(spans))

    def find(place: int) -> int:
        while parent[place] != place:
            parent[place] = parent[parent[place]]
            place = parent[place]
        return place

    for places in members:
        for place in places[1:]:
            parent[find(place)] = find(places[0])
    return [find(place) for place in range(spans)]


def _search(places: list[int], numbers: list[int], members: Sequence[Sequence[int]], cost: Floats) -> list[int]:
    """Every way to cover a small cluster, each remainder solved once; a set of spans is the bits of a number."""
    bit = {place: 1 << position for position, place in enumerate(places)}
    choices: dict[int, list[tuple[int, float, int]]] = {}
    for number in numbers:
        held = sum(bit[place] for place in members[number])
        lowest = held & -held
        choices.setdefault(lowest, []).append((held, float(cost[number]), number))
    known: dict[int, tuple[float, list[int]]] = {0: (0.0, [])}

    def best(left: int) -> tuple[float, list[int]]:
        if left not in known:
            found = (float("inf"), [0])
            for held, price, number in choices[left & -left]:
                if held & left == held:
                    rest, taken = best(left ^ held)
                    if rest + price < found[0]:
                        found = (rest + price, [*taken, number])
            known[left] = found
        return known[left]

    return best((1 << len(places)) - 1)[1]


def _programme(numbers: list[int], members: Sequence[Sequence[int]], cost: Floats) -> list[int]:
    """The same as an integer programme, solved by HiGHS."""
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csc_array

    row = {place: position for position, place in enumerate({place for number in numbers for place in members[number]})}
    rows = [row[place] for number in numbers for place in members[number]]
    columns = [column for column, number in enumerate(numbers) for _ in members[number]]
    cover = csc_array((np.ones(len(rows)), (rows, columns)), shape=(len(row), len(numbers)))
    solved = milp(
        cost[numbers],
        integrality=np.ones(len(numbers)),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(cover, 1, 1),
    )
    if solved.x is None:
        raise NotSolved(reason=solved.message)
    return [numbers[column] for column in np.flatnonzero(solved.x > 0.5)]
