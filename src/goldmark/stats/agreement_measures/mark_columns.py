"""Marks of many texts as columns: a reading is one person's look at one text, with or without marks.

Which marks of two people meet, and how many tokens they share, is found for all pairs of readings of some thousand
texts at once: of 100,000 readings, an object for every mark and a set for every reading would take most of the time and
of the memory, and of a million readings so would columns of everything that meets.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from goldmark.records.spans import Span
from goldmark.records.tidy.coded import Coded, numbered
from goldmark.stats.ranks.judgements import places_by_name

Whole = NDArray[np.int64]
Short = NDArray[np.int32]  # one for each of several million marks
AT_ONCE = 50_000  # readings and marks that are compared at once
Mark = tuple[Span, str]  # where, and which category


@dataclass(frozen=True)
class SeenText:
    """A text of `length` tokens and what everyone who saw it marked, by annotator; an empty list is an answer too."""

    id: str
    length: int
    marks: Mapping[str, Sequence[Mark]]


class Intervals(NamedTuple):
    """Runs of tokens that do not touch each other, from left to right within each reading."""

    reading: Short
    start: Short
    end: Short


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
    reading: Short  # of each mark
    start: Short
    end: Short
    label: Short  # places among `labels`
    row: Short  # of each mark, its place in what it was made of

    @classmethod
    def of_rows(
        cls,
        text: Coded,
        length: NDArray[np.signedinteger],
        person: Coded,
        marked: NDArray[np.bool_],
        start: NDArray[np.signedinteger],
        end: NDArray[np.signedinteger],
        label: Coded,
    ) -> MarkColumns:
        """From columns with one entry for each mark, and one that is not `marked` where a reading has none."""
        text_code, texts = _by_name(text)
        person_code, people = _by_name(person)
        lengths = np.zeros(len(texts), dtype=np.int64)
        lengths[text_code] = length
        key = text_code * np.int64(len(people)) + person_code
        del text_code, person_code
        first, own = numbered(key)
        readings = key[first]
        del key
        rows = np.flatnonzero(marked)
        order = rows[np.lexsort((end[rows], start[rows], own[rows]))]  # of equal ones in the order of the rows
        del rows
        codes, labels = label.take(order).used()
        return cls(
            texts,
            lengths,
            people,
            labels,
            readings // max(1, len(people)),
            readings % max(1, len(people)),
            own[order],
            start[order].astype(np.int32),
            end[order].astype(np.int32),
            codes.astype(np.int32),
            order.astype(np.int32),
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
        text, reading = np.cumsum(kept) - 1, (np.cumsum(readings) - 1).astype(np.int32)
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
            codes.astype(np.int32),
            self.row[marks],
        )

    def parts(self) -> Iterator[MarksPart]:
        """Texts one after the other, some thousands at a time. What is found of each is found in its part."""
        weight = np.cumsum(self.readers + np.bincount(self.text, weights=self.marks_of, minlength=len(self.texts)))
        ends = np.searchsorted(weight, np.arange(AT_ONCE, (weight[-1] if len(weight) else 0) + AT_ONCE, AT_ONCE))
        cuts = np.unique(np.concatenate([[0], np.minimum(ends + 1, len(self.texts))]))
        readings = np.searchsorted(self.text, cuts).tolist()
        marks = np.searchsorted(self.reading, readings).tolist()
        pairs = 0
        for place, (begin, end) in enumerate(pairwise(cuts.tolist())):
            (r0, r1), (m0, m1) = readings[place : place + 2], marks[place : place + 2]
            part = MarkColumns(
                self.texts[begin:end],
                self.lengths[begin:end],
                self.people,
                self.labels,
                self.text[r0:r1] - begin,
                self.person[r0:r1],
                self.reading[m0:m1] - np.int32(r0),
                self.start[m0:m1],
                self.end[m0:m1],
                self.label[m0:m1],
                self.row[m0:m1],
            )
            yield MarksPart(part, begin, m0, pairs)
            pairs += len(part.pairs[0])

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
        ended = np.maximum.accumulate(self._along(self.reading, self.end))
        return np.concatenate([[False], self._along(self.reading, self.start)[1:] < ended[:-1]])[: len(self.end)]

    def _along(self, reading: Short, place: Short) -> Whole:
        """All readings in one row: where a place of one of them lies."""
        return reading * np.int64(self._key) + place

    @cached_property
    def twice(self) -> NDArray[np.bool_]:
        """Of each reading, whether any token is marked twice."""
        found = np.zeros(len(self.text), dtype=np.bool_)
        found[self.reading[self._reach]] = True
        return found

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

    def shared_runs(self) -> SharedRuns:
        """Where the marked tokens of each pair of readings meet. It is large: see `parts`."""
        first, second = self.pairs
        passages = self.intervals
        count = np.bincount(passages.reading, minlength=len(self.text))
        begins = np.cumsum(count) - count
        pair = np.repeat(np.arange(len(first)), count[first])
        own = np.repeat(begins[first], count[first]) + runs(count[first])
        theirs = second[pair] * np.int64(self._key)
        ends, starts = (self._along(passages.reading, place) for place in (passages.end, passages.start))
        after = np.searchsorted(ends, theirs + passages.start[own], side="right")
        before = np.searchsorted(starts, theirs + passages.end[own], side="left")
        times = np.maximum(before - after, 0)
        pair, own, other = np.repeat(pair, times), np.repeat(own, times), np.repeat(after, times) + runs(times)
        shared = np.minimum(passages.end[own], passages.end[other]) - np.maximum(
            passages.start[own], passages.start[other]
        )
        return SharedRuns(pair, own, other, shared)

    def shared_tokens(self) -> Whole:
        """Of each pair of readings, how many tokens both marked."""
        return np.concatenate([np.zeros(0, dtype=np.int64), *(part.columns._shared_tokens() for part in self.parts())])

    def _shared_tokens(self) -> Whole:
        found = self.shared_runs()
        return np.bincount(found.pair, weights=found.tokens, minlength=len(self.pairs[0])).astype(np.int64)

    def matched(self) -> tuple[Whole, Whole, Whole]:
        """Marks of two readings that belong together, from left to right: the pair, and the two marks.

        Each takes the first mark from the left that shares a token with it and is not taken yet. Pairs of which
        somebody marked a token twice are left out: "from the left" says nothing of them.
        """
        nothing = np.zeros(0, dtype=np.int64)
        found = [(nothing, nothing, nothing)]
        for part in self.parts():
            pair, own, other = part.columns._matched()
            found.append((pair + part.pair, own + part.mark, other + part.mark))
        pair, own, other = (np.concatenate(side) for side in zip(*found, strict=True))
        return pair, own, other

    def _matched(self) -> tuple[Whole, Whole, Whole]:
        first, second = self.pairs
        pair, own, other, _ = self.shared_runs()
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


class MarksPart(NamedTuple):
    """Some texts that follow one another, with where their texts, marks and pairs of readings begin among all."""

    columns: MarkColumns
    text: int
    mark: int
    pair: int


def runs(counts: Whole) -> Whole:
    """0, 1, ... for each of several runs of these lengths, one after the other."""
    return np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)


def _both(first: Whole, second: Whole) -> Whole:
    return first * (1 + int(second.max(initial=0))) + second


def _by_name(column: Coded) -> tuple[Short, list[str]]:
    """Codes in the order of the names."""
    names, place = places_by_name(column)
    return place.astype(np.int32)[column.codes], list(names)
