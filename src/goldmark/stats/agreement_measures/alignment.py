"""The best alignment of several annotators' spans: which of them mean the same thing.

Spans of different annotators are put into groups of at most one span each. A group's disorder is the mean dissimilarity
of its pairs, an empty place costing 1 against anything; the best alignment has the least total disorder (Mathet et al.
2015, see `gamma`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from goldmark.errors import Failed
from goldmark.stats.inference.bootstrap import Floats

Whole = NDArray[np.int64]

MOST_GROUPS = 300_000  # possible groups of one text; beyond this the programme would not be solved in reasonable time
MOST_LOOKED_AT = 5_000_000  # of one text, before any is left out: what is known of them has to be held
AT_ONCE = 200_000  # possible groups of texts that are looked at in one go, counted before any is left out
SEARCHED = 10  # clusters of at most so many spans are searched through instead of given to the solver


class TooManyAlignments(Failed):
    code = "GAMMA-01"
    message = "{annotators} annotators with {spans} spans in one text can be aligned in too many ways"


class NotSolved(Failed):
    code = "GAMMA-02"
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
        moved = by - length * (self.starts >= length - by)
        return AnnotatorMarks(self.starts + moved, self.ends + moved, self.labels)


@dataclass(frozen=True)
class MarkedText:
    """A text of `length` tokens and the marks of everyone who saw it, also of those who marked nothing."""

    length: int
    annotators: tuple[AnnotatorMarks, ...]

    @property
    def mean_marks(self) -> float:
        return sum(map(len, self.annotators)) / len(self.annotators)

    @cached_property
    def mean_length(self) -> float:
        """Of the spans, in tokens; 0 where there are none."""
        number = sum(map(len, self.annotators))
        return float(sum(int((marks.ends - marks.starts).sum()) for marks in self.annotators)) / max(1, number)


class AlignmentGroups(NamedTuple):
    """Groups of spans that a best alignment may contain: a row for each, a column for each annotator."""

    members: Whole  # the position of a span among all spans of all texts, or -1
    cost: Floats
    text: Whole


@dataclass(frozen=True)
class _Spans:
    """All spans of some texts in a row, text by text and annotator by annotator."""

    starts: Floats
    ends: Floats
    labels: Whole
    counts: Whole  # texts x annotators; who did not see a text has no spans in it

    @classmethod
    def of(cls, texts: Sequence[MarkedText]) -> _Spans:
        counts = np.zeros((len(texts), max(len(text.annotators) for text in texts)), dtype=np.int64)
        for place, text in enumerate(texts):
            counts[place, : len(text.annotators)] = [len(marks) for marks in text.annotators]
        everyone = [marks for text in texts for marks in text.annotators]
        return cls(
            np.concatenate([marks.starts for marks in everyone]).astype(np.float64),
            np.concatenate([marks.ends for marks in everyone]).astype(np.float64),
            np.concatenate([marks.labels for marks in everyone]),
            counts,
        )

    def apart(self, one: Whole, other: Whole) -> Floats:
        """How far ends are apart over the sum of lengths, squared, plus 1 if labels differ; 0 to an empty place."""
        starts, ends = self.starts, self.ends
        moved = np.abs(starts[one] - starts[other]) + np.abs(ends[one] - ends[other])
        lengths = (ends[one] - starts[one]) + (ends[other] - starts[other])
        result: Floats = ((moved / lengths) ** 2 + (self.labels[one] != self.labels[other])) * ((one | other) >= 0)
        return result


def disorders(texts: Sequence[MarkedText], seconds_left: Callable[[], float] | None = None) -> Floats:
    """The disorder of the best alignment of each text: the sum of its groups' disorders.

    Which groups to choose is an integer programme: every span in exactly one group, at the least cost. Many texts are
    solved at once, because they do not touch each other and a solver's start costs more than its work. What marks can
    be made to cost has hardly a limit; `seconds_left` gives one, and refuses when nothing is left.
    """
    found = np.zeros(len(texts))
    for members, cost, text in possible_groups(texts):
        if seconds_left is not None:
            seconds_left()
        group, place = np.nonzero(members >= 0)
        span = members[group, place]
        own = span - (span.min() if len(span) else 0)
        chosen = np.array(_cheapest_cover(own, group, cost, seconds_left), dtype=np.int64)
        found += np.bincount(text[chosen], cost[chosen], minlength=len(texts))
    return found


def possible_groups(texts: Sequence[MarkedText]) -> Iterator[AlignmentGroups]:
    """Groups that a best alignment may contain, and their disorders, in the order of the texts.

    Many small texts are looked at in one go; of large ones a few, so that what has to be held stays small.
    """
    spans = _Spans.of(texts)
    if not len(spans.starts):
        return
    number = np.array([len(text.annotators) for text in texts])
    sizes = np.cumsum(np.prod(spans.counts + 1.0, axis=1))
    first = (np.cumsum(spans.counts) - spans.counts.ravel()).reshape(spans.counts.shape)
    for some in np.split(np.arange(len(texts)), np.flatnonzero(np.diff(sizes // AT_ONCE)) + 1):
        yield _groups(spans, number, first, some)


def _groups(spans: _Spans, number: Whole, first: Whole, text: Whole) -> AlignmentGroups:
    """Of some texts, annotator by annotator: every group so far, with each of the next one's spans and with none.

    Groups that would be cheaper if taken apart are left out: with C pairs of annotators, a span whose dissimilarities
    to the k - 1 others of its group exceed C + k - 1 in sum had better stand alone.
    """
    rows = np.zeros((len(text), 0), dtype=np.int64)
    within, members = np.zeros(len(text)), np.zeros(len(text), dtype=np.int64)
    for annotator in range(spans.counts.shape[1]):
        choices = spans.counts[text, annotator] + 1
        _refuse_more_than(MOST_LOOKED_AT, np.bincount(text, weights=choices), spans, number)
        row = np.repeat(np.arange(len(rows)), choices)
        place = np.arange(len(row)) - np.repeat(np.cumsum(choices) - choices, choices)  # 0: empty
        chosen = np.where(place > 0, first[text[row], annotator] + place - 1, -1)
        added = np.zeros(len(row))
        for column in rows.T:
            added += spans.apart(column[row], chosen)
        sums = within[row] + added
        taken = members[row] + (chosen >= 0)
        pairs, others = _pairs(number[text[row]]), number[text[row]] - taken
        # Taking all these spans out of any group they may be part of must not be cheaper than leaving them in it.
        kept = np.flatnonzero(sums <= taken * pairs + pairs - _pairs(others))
        row, within, members = row[kept], sums[kept], taken[kept]
        rows, text = np.column_stack([rows[row], chosen[kept]]), text[row]
        _refuse_more_than(MOST_GROUPS, np.bincount(text), spans, number)
    each = np.zeros(rows.shape)
    for one, other in combinations(range(rows.shape[1]), 2):
        apart = spans.apart(rows[:, one], rows[:, other])
        each[:, one] += apart
        each[:, other] += apart
    pairs = _pairs(number[text])
    worth = (members > 0) & ((rows < 0) | (each <= (pairs + members - 1)[:, None])).all(axis=1)
    cost = (within + pairs - _pairs(members)) / pairs
    return AlignmentGroups(rows[worth], cost[worth], text[worth])


def _refuse_more_than(most: int, of_texts: NDArray[Any], spans: _Spans, number: Whole) -> None:
    large = int(of_texts.argmax())
    if of_texts[large] > most:
        raise TooManyAlignments(annotators=int(number[large]), spans=int(spans.counts[large].sum()))


def _pairs(number: Whole) -> Floats:
    pairs: Floats = number * (number - 1) / 2
    return pairs


def _cheapest_cover(
    member: Whole, group: Whole, cost: Floats, seconds_left: Callable[[], float] | None = None
) -> list[int]:
    """Groups that hold every span exactly once at the least cost.

    Spans that no group connects do not influence each other. Small clusters of connected spans are searched through,
    which takes microseconds; all large ones make up one integer programme.
    """
    members: list[list[int]] = [[] for _ in cost]
    for place, number in zip(member.tolist(), group.tolist(), strict=True):
        members[number].append(place)
    clusters: dict[int, list[int]] = {}
    root = _roots(members, int(member.max(initial=-1)) + 1)
    for number, places in enumerate(members):
        clusters.setdefault(root[places[0]], []).append(number)
    chosen: list[int] = []
    large: list[int] = []
    for numbers in clusters.values():
        if len(numbers) == 1:  # a span that has nothing near it
            chosen += numbers
            continue
        places = sorted({place for number in numbers for place in members[number]})
        if len(places) <= SEARCHED:
            chosen += _search(places, numbers, members, cost)
        else:
            large += numbers
    return chosen + _programme(large, members, cost, seconds_left) if large else chosen


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


def _programme(
    numbers: list[int],
    members: Sequence[Sequence[int]],
    cost: Floats,
    seconds_left: Callable[[], float] | None,
) -> list[int]:
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
        options={} if seconds_left is None else {"time_limit": seconds_left()},
    )
    if solved.status != 0:  # there may be an alignment, but not the best one
        if seconds_left is not None:
            seconds_left()
        raise NotSolved(reason=solved.message)
    return [numbers[column] for column in np.flatnonzero(solved.x > 0.5)]
