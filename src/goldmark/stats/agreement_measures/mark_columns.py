"""Marks of many texts as columns: a reading is one person's look at one text, with or without marks.

Which marks of two people meet, and how many tokens they share, is found for all pairs of readings at once: of 100,000
readings, an object for every mark and a set for every reading would take most of the time and of the memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from goldmark.records.spans import Span
from goldmark.records.tidy.coded import Coded

Whole = NDArray[np.int64]
Mark = tuple[Span, str]  # where, and which category


@dataclass(frozen=True)
class SeenText:
    """A text of `length` tokens and what everyone who saw it marked, by annotator; an empty list is an answer too."""

    id: str
    length: int
    marks: Mapping[str, Sequence[Mark]]


class Intervals(NamedTuple):
    """Runs of tokens that do not touch each other, from left to right within each reading."""

    reading: Whole
    start: Whole
    end: Whole


class SharedRuns(NamedTuple):
    """Runs of two readings that share tokens: which pair, which run of the first and of the second, how many tokens."""

    pair: Whole
    first: Whole
    second: Whole
    tokens: Whole


@dataclass(frozen=True)
class MarkColumns:
    """Texts and people in the order of their names, so that the order of a file changes no digit.

    Readings lie in the order of texts, then people; the marks of a reading from left to right.
    """

    texts: Sequence[str]
    lengths: Whole
    people: Sequence[str]
    labels: Sequence[str]
    text: Whole  # of each reading
    person: Whole
    reading: Whole  # of each mark
    start: Whole
    end: Whole
    label: Whole  # places among `labels`
    row: Whole  # of each mark, its place in what it was made of

    @classmethod
    def of_rows(
        cls,
        text: Coded,
        length: Whole,
        person: Coded,
        marked: NDArray[np.bool_],
        start: Whole,
        end: Whole,
        label: Coded,
    ) -> MarkColumns:
        """From columns with one entry for each mark, and one that is not `marked` where a reading has none."""
        text_code, texts = _by_name(text)
        person_code, people = _by_name(person)
        lengths = np.zeros(len(texts), dtype=np.int64)
        lengths[text_code] = length
        readings, own = np.unique(text_code * len(people) + person_code, return_inverse=True)
        rows = np.flatnonzero(marked)
        order = rows[np.lexsort((rows, end[rows], start[rows], own[rows]))]
        codes, labels = label.take(order).used()
        return cls(
            texts,
            lengths,
            people,
            labels,
            readings // max(1, len(people)),
            readings % max(1, len(people)),
            own[order],
            start[order],
            end[order],
            codes,
            order,
        )

    @classmethod
    def of(cls, seen: Sequence[SeenText]) -> MarkColumns:
        """From texts with their marks."""
        nothing: Sequence[tuple[Span | None, str]] = [(None, "")]
        rows = [
            (text.id, text.length, name, *((span.start, span.end, label) if span else (0, 0, "")), span is not None)
            for text in seen
            for name, marks in text.marks.items()
            for span, label in (marks or nothing)
        ]
        ids, lengths, names, starts, ends, labels, marked = zip(*rows, strict=True) if rows else ((),) * 7
        whole = (np.array(column, dtype=np.int64) for column in (lengths, starts, ends))
        length, start, end = whole
        told = np.array(marked, dtype=np.bool_)
        return cls.of_rows(Coded.of(ids), length, Coded.of(names), told, start, end, Coded.of(labels))

    def shared(self) -> MarkColumns:
        """Only texts that two people or more have read."""
        kept = self.readers >= 2
        if kept.all():
            return self
        readings = kept[self.text]
        marks = readings[self.reading]
        text, reading = np.cumsum(kept) - 1, np.cumsum(readings) - 1
        codes, labels = Coded(self.label[marks], self.labels).used()
        return MarkColumns(
            [name for name, own in zip(self.texts, kept.tolist(), strict=True) if own],
            self.lengths[kept],
            self.people,
            labels,
            text[self.text[readings]],
            self.person[readings],
            reading[self.reading[marks]],
            self.start[marks],
            self.end[marks],
            codes,
            self.row[marks],
        )

    @cached_property
    def readers(self) -> Whole:
        """Of each text, how many people read it."""
        return np.bincount(self.text, minlength=len(self.texts))

    @cached_property
    def marks_of(self) -> Whole:
        """Of each reading, how many marks it has."""
        return np.bincount(self.reading, minlength=len(self.text))

    @cached_property
    def pairs(self) -> tuple[Whole, Whole]:
        """Every two readings of a text."""
        places = np.arange(len(self.text))
        later = np.cumsum(self.readers)[self.text] - places - 1
        first = np.repeat(places, later)
        return first, first + 1 + runs(later)

    @cached_property
    def _key(self) -> int:
        return 1 + int(self.end.max(initial=0))

    @cached_property
    def _reach(self) -> NDArray[np.bool_]:
        """Of each mark, whether it begins before an earlier one of its reading has ended."""
        ended = np.maximum.accumulate(self.reading * self._key + self.end)
        return np.concatenate([[False], (self.reading * self._key + self.start)[1:] < ended[:-1]])[: len(self.end)]

    @cached_property
    def twice(self) -> NDArray[np.bool_]:
        """Of each reading, whether any token is marked twice."""
        return np.bincount(self.reading, weights=self._reach, minlength=len(self.text)) > 0

    @cached_property
    def intervals(self) -> Intervals:
        """The marked tokens of each reading. Where none is marked twice, its intervals are its marks."""
        if not self._reach.any():
            return Intervals(self.reading, self.start, self.end)
        first = np.flatnonzero(~self._reach)
        ended = np.maximum.reduceat(self.end, first)
        return Intervals(self.reading[first], self.start[first], ended)

    @cached_property
    def tokens(self) -> Whole:
        """Of each reading, how many tokens are marked."""
        reading, start, end = self.intervals
        return np.bincount(reading, weights=end - start, minlength=len(self.text)).astype(np.int64)

    @cached_property
    def shared_runs(self) -> SharedRuns:
        """Where the marked tokens of each pair of readings meet."""
        first, second = self.pairs
        passages = self.intervals
        count = np.bincount(passages.reading, minlength=len(self.text))
        begins = np.cumsum(count) - count
        pair = np.repeat(np.arange(len(first)), count[first])
        own = np.repeat(begins[first], count[first]) + runs(count[first])
        theirs = second[pair] * self._key
        after = np.searchsorted(passages.reading * self._key + passages.end, theirs + passages.start[own], side="right")
        before = np.searchsorted(passages.reading * self._key + passages.start, theirs + passages.end[own], side="left")
        times = np.maximum(before - after, 0)
        pair, own, other = np.repeat(pair, times), np.repeat(own, times), np.repeat(after, times) + runs(times)
        shared = np.minimum(passages.end[own], passages.end[other]) - np.maximum(
            passages.start[own], passages.start[other]
        )
        return SharedRuns(pair, own, other, shared)

    def shared_tokens(self) -> Whole:
        """Of each pair of readings, how many tokens both marked."""
        found = self.shared_runs
        return np.bincount(found.pair, weights=found.tokens, minlength=len(self.pairs[0])).astype(np.int64)

    def matched(self) -> tuple[Whole, Whole, Whole]:
        """Marks of two readings that belong together, from left to right: the pair, and the two marks.

        Each takes the first mark from the left that shares a token with it and is not taken yet. Pairs of which
        somebody marked a token twice are left out: "from the left" says nothing of them.
        """
        first, second = self.pairs
        pair, own, other, _ = self.shared_runs
        once = ~(self.twice[first] | self.twice[second])[pair]
        mark = np.flatnonzero(~self._reach)  # of each run its first mark, here its only one
        pair, own, other = pair[once], mark[own[once]], mark[other[once]]
        mine, theirs = (np.unique(_both(pair, marks), return_inverse=True)[1] for marks in (own, other))
        kept = (np.bincount(mine)[mine] == 1) & (np.bincount(theirs)[theirs] == 1)
        taken: tuple[set[int], set[int]] = set(), set()
        for place in np.flatnonzero(~kept).tolist():
            one, two = int(mine[place]), int(theirs[place])
            if one not in taken[0] and two not in taken[1]:
                taken[0].add(one)
                taken[1].add(two)
                kept[place] = True
        return pair[kept], own[kept], other[kept]

    def given(self, reading: int) -> list[int]:
        """The marks of a reading in the order in which they were given."""
        last = int(self._ends[reading])
        return sorted(range(last - int(self.marks_of[reading]), last), key=self.row.__getitem__)

    def spans(self, marks: Sequence[int]) -> list[Span]:
        """Where these marks lie."""
        return [Span(int(self.start[mark]), int(self.end[mark])) for mark in marks]

    @cached_property
    def _ends(self) -> Whole:
        return np.cumsum(self.marks_of)

    def seen(self) -> list[SeenText]:
        """All texts with their marks as objects."""
        everyone: list[dict[str, list[Mark]]] = [{} for _ in self.texts]
        for reading, (text, person) in enumerate(zip(self.text.tolist(), self.person.tolist(), strict=True)):
            own = self.given(reading)
            everyone[text][self.people[person]] = [
                (span, self.labels[self.label[mark]]) for span, mark in zip(self.spans(own), own, strict=True)
            ]
        return [
            SeenText(name, length, marks)
            for name, length, marks in zip(self.texts, self.lengths.tolist(), everyone, strict=True)
        ]


def runs(counts: Whole) -> Whole:
    """0, 1, ... for each of several runs of these lengths, one after the other."""
    return np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)


def _both(first: Whole, second: Whole) -> Whole:
    return first * (1 + int(second.max(initial=0))) + second


def _by_name(column: Coded) -> tuple[Whole, list[str]]:
    """Codes in the order of the names."""
    codes, names = column.used()
    order = sorted(range(len(names)), key=names.__getitem__)
    place = np.zeros(len(names), dtype=np.int64)
    place[order] = np.arange(len(names))
    return place[codes], [names[one] for one in order]
