"""What everybody said of each text, stage by stage, as columns: whether, where, of which kind and how to correct.

A reading is one person's look at one text. Of 100,000 readings, an object for every reading and every mark would take
most of the time and of the memory that agreement by stage needs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from goldmark.errors import Conflict
from goldmark.protocols import Protocol
from goldmark.protocols.answers import deciding, marking
from goldmark.protocols.kinds.spans import SpansQuestion
from goldmark.records.tidy.coded import Coded, first_seen
from goldmark.records.tidy.columns import Frame
from goldmark.stats.agreement_measures.mark_columns import MarkColumns, Short, Whole, runs
from goldmark.stats.agreement_measures.span_matching import overlapping
from goldmark.stats.ranks.judgements import places_by_name

FINE, ERRONEOUS = "fine", "erroneous"


class NoStages(Conflict):
    code = "STAGES-01"
    message = "{protocol} asks nobody to mark passages, so it has no stages; see goldmark agreement for its questions"


@dataclass(frozen=True)
class StageQuestions:
    """What a protocol asks, stage by stage: the marks, and the choice that decides whether there are any."""

    marks: SpansQuestion
    decides: str
    aside: Mapping[str, Collection[str]]  # answers that set a text aside, by question

    @classmethod
    def of(cls, protocol: Protocol) -> StageQuestions:
        known = marking(protocol)
        if not known:
            raise NoStages(protocol=protocol.id)
        decides = deciding(protocol, known[0])
        return cls(known[0], decides.id if decides else "", protocol.set_aside)


@dataclass(frozen=True)
class Groups:
    """Two groups: everybody of the one is compared with everybody of the other."""

    names: tuple[str, str]
    of: Mapping[str, str]  # annotator: group


class ComparedReadings(NamedTuple):
    """Two readings of a text each; where groups are compared, the first is of the first group."""

    first: Whole
    second: Whole
    text: Whole
    number: Whole  # their place among all pairs of readings

    def take(self, kept: NDArray[np.bool_]) -> ComparedReadings:
        """Only these, as if there were no others."""
        return ComparedReadings(*(column[kept] for column in self))

    def weight(self) -> NDArray[np.float64]:
        """What each weighs: a text weighs the same however many pairs it has."""
        share: NDArray[np.float64] = 1 / np.bincount(self.text)[self.text]
        return share


@dataclass(frozen=True)
class StageReadings:
    """Readings lie in the order of texts, then people; the marks of a reading from left to right."""

    marks: MarkColumns
    verdict: Coded  # of each reading: fine or erroneous
    said: Coded  # the answer that decides whether anything is marked; nothing if nobody is asked
    label: Coded  # of each mark
    correction: Coded
    links: Coded
    linked: MarkColumns  # the passages that belong to marks

    @classmethod
    def of(cls, frames: Mapping[str, Frame], asked: StageQuestions) -> StageReadings:
        """From the rows of the marks and of the questions before them."""
        spans = _answers(frames["spans"], asked.marks.id)
        before = {
            question: _answers(
                frames["ratings" if question in frames["ratings"].cells["question"] else "choices"], question
            )
            for question in dict.fromkeys([*asked.aside, asked.decides])
            if question
        }
        # Whoever answered a question before the marks has read the text, and has a row without a mark.
        everything = [spans, *before.values()]
        unit, person = (Coded.joined([one.coded(name) for one in everything]) for name in ("unit", "annotator"))
        start, end = np.zeros((2, len(unit)), dtype=np.int32)
        start[: len(spans)], end[: len(spans)] = (spans.coded(name).whole() for name in ("start", "end"))
        marks = _marks(unit, person, start, end)
        known = _readings(marks.text, marks.person, marks.people)
        (_, text), (_, who) = places_by_name(unit), places_by_name(person)
        verdict, said, answers = marks.marks_of > 0, np.zeros(len(marks.text), dtype=np.int64), [""]
        begin = len(spans)
        for question, frame in before.items():
            labels, rows = frame.coded("label"), slice(begin, begin + len(frame))
            begin = rows.stop
            reading = np.searchsorted(known, _readings(text[unit.codes[rows]], who[person.codes[rows]], marks.people))
            aside = np.array([label in asked.aside.get(question, ()) for label in labels.names], dtype=np.bool_)
            # A text that is set aside was found erroneous first (TGEA 3.3).
            verdict[reading[aside[labels.codes]]] = True
            if question == asked.decides:
                said[reading], answers = labels.codes.astype(np.int64) + 1, ["", *labels.names]
        label, correction, links = (spans.coded(name).take(marks.row) for name in ("label", "correction", "links"))
        return cls(
            marks,
            Coded(verdict.astype(np.int32), [FINE, ERRONEOUS]),
            Coded(said, answers),
            label,
            correction.mapped(lambda words: " ".join(words.split())),
            links,
            _linked(unit, person, spans.coded("links")) if asked.marks.links else _linked(*[Coded.of(())] * 3),
        )

    def compared(self, groups: Groups | None) -> ComparedReadings:
        """Every two people who read the same text, or everybody of one group with everybody of the other."""
        first, second = self.marks.pairs
        every = ComparedReadings(first, second, self.marks.text[first], np.arange(len(first)))
        if groups is None:
            return every
        place = {name: number for number, name in enumerate(groups.names)}
        of = np.array([place.get(groups.of.get(name, ""), -1) for name in self.marks.people], dtype=np.int64)
        one, other = of[self.marks.person[first]], of[self.marks.person[second]]
        kept = every.take((one >= 0) & (other >= 0) & (one != other))
        turned = of[self.marks.person[kept.first]] > of[self.marks.person[kept.second]]
        return kept._replace(
            first=np.where(turned, kept.second, kept.first), second=np.where(turned, kept.first, kept.second)
        )

    def both_marked(self, pairs: ComparedReadings) -> ComparedReadings:
        """Only pairs of people who both marked something."""
        marked = self.marks.marks_of > 0
        return pairs.take(marked[pairs.first] & marked[pairs.second])

    def places(self) -> Whole:
        """Of each reading a number that it shares with those that have marked the same words."""
        return _alike(self.marks, self.marks.start, self.marks.end)

    def linked_places(self) -> Whole:
        """The same of all linked words."""
        reading, start, end = self.linked.intervals
        token = np.repeat(start, end - start) + runs(end - start)
        return _same(len(self.linked.text), np.repeat(reading, end - start), token)

    def all_places(self) -> Whole:
        """The same of marks, each with the words that are linked with it."""
        linked = first_seen(
            frozenset(token for part in _parts(cell) for token in range(*part)) for cell in self.links.names
        )
        return _alike(self.marks, self.marks.start, self.marks.end, linked[0][self.links.codes])

    def met(self, pairs: ComparedReadings) -> tuple[Whole, Whole, Whole]:
        """Marks of two people whose words meet: the place of their pair, the first's mark and the second's."""
        place = np.full(len(self.marks.pairs[0]), -1)
        place[pairs.number] = np.arange(len(pairs.number))
        number, one, other = self.marks.matched()
        pair = place[number]
        kept = pair >= 0
        pair, one, other = pair[kept], one[kept], other[kept]
        turned = pairs.first[pair] > pairs.second[pair]
        found = [(pair, np.where(turned, other, one), np.where(turned, one, other))]
        # Where somebody marked a word twice, "from the left" is gone through mark by mark.
        for turn in np.flatnonzero(self.marks.twice[pairs.first] | self.marks.twice[pairs.second]).tolist():
            mine, theirs = (self._from_left(int(side[turn])) for side in (pairs.first, pairs.second))
            matched = np.array(overlapping(mine, theirs), dtype=np.int64).reshape(-1, 2)
            found.append((np.full(len(matched), turn), matched[:, 0], matched[:, 1]))
        pair, one, other = (np.concatenate(side) for side in zip(*found, strict=True))
        return pair, one, other

    def _from_left(self, reading: int) -> list[tuple[int, int, int]]:
        return [
            (int(self.marks.start[mark]), int(self.marks.end[mark]), mark) for mark in sorted(self.marks.given(reading))
        ]


def _answers(frame: Frame, question: str) -> Frame:
    return frame.take(np.flatnonzero(frame.coded("question").equal(question)))


def _marks(unit: Coded, person: Coded, start: Short, end: Short) -> MarkColumns:
    """Marks, at most one in a row; whoever is in a row has read the text. A mark of no length is none."""
    nothing = Coded(np.zeros(len(unit), dtype=np.int8), [""])
    return MarkColumns.of_rows(unit, np.zeros(1, dtype=np.int32), person, start < end, start, end, nothing)


def _readings(text: Whole, person: Whole, people: Sequence[str]) -> Whole:
    return text * len(people) + person


def _linked(unit: Coded, person: Coded, links: Coded) -> MarkColumns:
    """Linked passages as marks."""
    parts = [list(_parts(cell)) for cell in links.names]
    many = np.array([len(some) for some in parts], dtype=np.int64)[links.codes]
    placed = [part for code in links.codes[many > 0].tolist() for part in parts[code]]
    rows = np.concatenate([np.repeat(np.arange(len(links)), many), np.arange(len(unit))])
    start, end = np.zeros((2, len(rows)), dtype=np.int32)
    start[: len(placed)], end[: len(placed)] = np.array(placed, dtype=np.int32).reshape(-1, 2).T
    return _marks(unit.take(rows), person.take(rows), start, end)


def _parts(links: str) -> Iterator[tuple[int, int]]:
    """Linked passages, which are written as role:start-end with semicolons between."""
    for link in filter(None, links.split(";")):
        start, _, end = link.rpartition(":")[2].partition("-")
        yield int(start), int(end)


def _alike(columns: MarkColumns, *cells: NDArray[np.signedinteger]) -> Whole:
    """Of each reading a number that it shares with those of its text that have the same set of cells.

    Cells are of the marks.
    """
    found = [np.zeros(0, dtype=np.int64)]
    for part in columns.parts():
        marks = slice(part.mark, part.mark + len(part.columns.reading))
        found.append(_same(len(part.columns.text), part.columns.reading, *(cell[marks] for cell in cells)))
    return np.concatenate(found)


def _same(readings: int, reading: NDArray[np.signedinteger], *cells: NDArray[np.signedinteger]) -> Whole:
    """Of each of so many readings a number that it shares with those that have the same set of cells."""
    order = np.lexsort((*cells, reading))
    table = np.stack([one[order] for one in (reading, *cells)], axis=1)
    table = table[np.concatenate([[True], (table[1:] != table[:-1]).any(axis=1)])[: len(table)]]
    ends = np.cumsum(np.bincount(table[:, 0], minlength=readings)).tolist()
    own = np.ascontiguousarray(table[:, 1:])
    return first_seen(own[start:end].tobytes() for start, end in zip([0, *ends[:-1]], ends, strict=True))[0]
