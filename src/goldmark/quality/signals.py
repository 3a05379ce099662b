"""Signs of careless work, each a small function over one person's answers. None of them is proof.

They stand beside the test questions: how long answers took, whether one answer was given to everything, whether
explanations were copied, too short or about something else (the reasons for which HUMANLIKE left people out), and how
far someone agrees with others on the same units.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from math import log
from statistics import median
from typing import NamedTuple

from goldmark.records.answers import Choice, Comparison, Marks, Rating, ReadAnswer
from goldmark.stats.token_overlap import token_f1

FAST = 1 / 3  # of the usual time: hardly enough to read
RUN = 5  # words in a row that stand in the text as well are no accident
COPIED = 0.8  # the part of an explanation that must lie in such runs
FEWEST_WORDS = 3
LEAST_LETTERS = 4  # shorter words are mostly grammar and say nothing about a topic


class TimedAnswer(NamedTuple):
    """One answer of one person, with what a signal may look at."""

    unit: str
    seconds: float
    closed: str  # what was chosen, written so that the same choice reads the same
    said: tuple[str, ...]  # explanations in the person's own words
    shown: str = ""  # the texts that they read


class ShareSignal(NamedTuple):
    """So many of so many; nothing can be said of none."""

    found: int
    of: int

    @property
    def value(self) -> float | None:
        return self.found / self.of if self.of else None


class MeanSignal(NamedTuple):
    """The mean of so many; None of none."""

    value: float | None
    of: int


def mean_of(values: Sequence[float]) -> MeanSignal:
    return MeanSignal(sum(values) / len(values) if values else None, len(values))


class Pace(NamedTuple):
    """How long answers took: their median, and how many took less than a third of the campaign's median."""

    median: float | None
    usual: float | None
    fast: ShareSignal


class Sameness(NamedTuple):
    """Whether one answer was given to everything."""

    longest_run: int  # equal answers in a row
    entropy: float | None  # 0: always the same; 1: all the campaign's answers equally often
    commonest: ShareSignal  # how many are the person's commonest answer


class Explanations(NamedTuple):
    """What is wrong with explanations; one explanation may count in several."""

    written: int
    copied: ShareSignal  # taken from the text that was shown
    short: ShareSignal  # fewer than three words
    repeated: ShareSignal  # word for word what they wrote for another unit
    off_topic: ShareSignal  # shares no longer word with the text or with what others wrote


def pace(answers: Sequence[TimedAnswer], usual: float | None) -> Pace:
    """Time per unit against the campaign's usual one, which is the median over everybody; 0 is a time not known."""
    times = [one.seconds for one in answers if one.seconds > 0]
    fast = sum(time < FAST * usual for time in times) if usual is not None else 0
    return Pace(median(times) if times else None, usual, ShareSignal(fast, len(times) if usual is not None else 0))


def sameness(answers: Sequence[TimedAnswer], kinds: int) -> Sameness:
    """Straight-lining: `answers` in the order in which they were given, `kinds` different ones in the campaign."""
    chosen = [one.closed for one in answers if one.closed]
    counted = Counter(chosen)
    runs = [len(list(run)) for _, run in groupby(chosen)]
    entropy = None
    if chosen and kinds > 1:
        parts = [count / len(chosen) for count in counted.values()]
        entropy = -sum(part * log(part) for part in parts) / log(kinds) + 0.0
    return Sameness(max(runs, default=0), entropy, ShareSignal(max(counted.values(), default=0), len(chosen)))


def explanations(answers: Sequence[TimedAnswer], known: frozenset[str]) -> Explanations:
    """Of everything someone explained. `known` are the words that others' explanations use."""
    written = [(said, one.shown) for one in answers for said in one.said if said.strip()]
    times = Counter(" ".join(words(said)) for said, _ in written)
    n = len(written)
    return Explanations(
        n,
        ShareSignal(sum(is_copied(said, shown) for said, shown in written), n),
        ShareSignal(sum(len(words(said)) < FEWEST_WORDS for said, _ in written), n),
        ShareSignal(sum(times[" ".join(words(said))] > 1 for said, _ in written), n),
        ShareSignal(sum(is_off_topic(said, shown, known) for said, shown in written), n),
    )


def is_copied(said: str, shown: str) -> bool:
    """Whether four fifths of an explanation stand in the text, in runs of five words or more."""
    mine, theirs = words(said), words(shown)
    if len(mine) < RUN:
        return False
    runs = {tuple(theirs[start : start + RUN]) for start in range(len(theirs) - RUN + 1)}
    covered: set[int] = set()
    for start in range(len(mine) - RUN + 1):
        if tuple(mine[start : start + RUN]) in runs:
            covered.update(range(start, start + RUN))
    return len(covered) >= COPIED * len(mine)


def is_off_topic(said: str, shown: str, known: frozenset[str]) -> bool:
    """Whether nothing that an explanation says occurs in the text, or in what others say about such texts."""
    longer = telling(said)
    return bool(longer) and not longer & (telling(shown) | known)


def words(said: str) -> list[str]:
    return re.findall(r"\w+", said.casefold())


def telling(said: str) -> frozenset[str]:
    """The words that can say what a sentence is about."""
    return frozenset(word for word in words(said) if len(word) >= LEAST_LETTERS)


class SharedWords:
    """Which words of (person, explanation) several people use. Counted once for everybody."""

    def __init__(self, said: Iterable[tuple[str, str]]) -> None:
        used: dict[str, set[str]] = {}
        for person, sentence in said:
            used.setdefault(person, set()).update(telling(sentence))
        self._own = {person: frozenset(words) for person, words in used.items()}
        self._users = Counter(word for words in self._own.values() for word in words)
        self._common = frozenset(word for word, users in self._users.items() if users > 1)

    def known_to_others(self, person: str) -> frozenset[str]:
        """The words that at least two people other than this one use."""
        mine = self._own.get(person, frozenset())
        return self._common - {word for word in mine if self._users[word] == 2}


class Comparable(NamedTuple):
    """What of an answer can be alike to another's: what was chosen, and which tokens were marked, by question."""

    closed: Mapping[str, Sequence[str]]
    marked: Sequence[tuple[str, frozenset[int]]]

    @classmethod
    def of(cls, said: ReadAnswer) -> Comparable:
        return cls(_closed(said), [(one.question, _tokens(one)) for one in said.marks])


def likeness(mine: Comparable, theirs: Comparable) -> float | None:
    """From 0 to 1, over the questions that both answered; explanations are not compared.

    Closed answers are alike or not; marks are alike by their tokens (F1).
    """
    marked = dict(theirs.marked)
    closed, other = mine.closed, theirs.closed
    parts = [float(closed[question] == other[question]) for question in closed if question in other]
    parts += [token_f1(own, marked[question]) for question, own in mine.marked if question in marked]
    return sum(parts) / len(parts) if parts else None


def _closed(said: ReadAnswer) -> dict[str, list[str]]:
    """What was chosen, by question; of several options, those that were."""
    found: dict[str, list[str]] = {}
    for one in said.said:
        if isinstance(one, Rating | Choice | Comparison):
            chosen = found.setdefault(one.question, [])
            if not isinstance(one, Choice) or one.chosen:
                chosen.append(one.label)
    return found


def _tokens(marks: Marks) -> frozenset[int]:
    return frozenset(place for mark in marks.marks for place in mark.tokens.positions())


def choice_of(said: ReadAnswer) -> str:
    """What somebody chose, as one string: closed answers as they are, of marked spans only how many there are."""
    parts = [f"{question}={'+'.join(labels)}" for question, labels in _closed(said).items()]
    return ";".join([*parts, *(f"{one.question}={len(one.marks)} marks" for one in said.marks)])


def explained(said: ReadAnswer) -> tuple[str, ...]:
    """What somebody wrote in their own words, also on single spans."""
    on_marks = (mark.explanation for one in said.marks for mark in one.marks if mark.explanation)
    return (*(one.words for one in said.words), *on_marks)
