"""What an answer says, whatever asked for it: numbers, choices, comparisons, words and marks.

`protocols.answers` makes these from a protocol and an answer; everything after it knows these and no kind of question.
Each says to which question it is the answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from goldmark.errors import Problem
from goldmark.records.mistakes import Mistake
from goldmark.records.spans import Span

TIE: Final = "tie"
APART: Final = ">"  # between the best and the worst of several texts, as in "a>c"


class Rating(NamedTuple):
    """A number: that of the chosen option, or one that was given."""

    question: str
    value: float
    label: str  # the option's id, or the number as it was written
    scale_low: float | None = None  # the smallest number that the question takes, where it has one
    scale_high: float | None = None


class Choice(NamedTuple):
    """One option, and whether it was chosen. A question that takes several answers has one for every option."""

    question: str
    label: str
    chosen: bool = True


class Comparison(NamedTuple):
    """Which of two texts was preferred, or which of several is the best and which the worst; all by their role."""

    question: str
    between: tuple[str, ...]
    preferred: str | None  # None: a tie
    worst: str | None = None  # of three texts or more

    @property
    def label(self) -> str:
        return TIE if self.preferred is None else APART.join(filter(None, (self.preferred, self.worst)))

    def pairs(self) -> Iterator[tuple[str, str, str | None]]:
        """Every two texts that the answer tells apart, and which of them is the better; None: a tie.

        Of the best and the worst of four, five: the best is better than all others, and all others than the worst.
        """
        if self.worst is None:
            first, second = self.between
            yield first, second, self.preferred
            return
        for first, second in combinations(self.between, 2):
            if self.preferred in (first, second):
                yield first, second, self.preferred
            elif self.worst in (first, second):
                yield first, second, second if first == self.worst else first


class Words(NamedTuple):
    """An answer in the annotator's own words, without white space around it."""

    question: str
    words: str


class Mark(NamedTuple):
    """One marked passage, with what its protocol says that its parts mean.

    `correction` is what should stand there: nothing (delete it), or None where nobody said. `attributes` is all that
    was asked of the passage and answered, by its own name, corrections and explanations among it.
    """

    id: str
    tokens: Span  # every token that it touches
    characters: Span
    label: str = ""
    correction: str | None = None
    explanation: str = ""
    severity: str = ""
    weight: float | None = None  # how much it counts among errors; None where the protocol gives no weights
    links: tuple[tuple[str, Span], ...] = ()  # role and tokens of passages that belong to it
    attributes: Mapping[str, Any] = MappingProxyType({})
    suggested: str = ""  # the suggestion that it came from

    def other_attributes(self, *roles: str | None) -> dict[str, Any]:
        """What was asked of it besides the attributes named, such as those that have a role."""
        return {name: value for name, value in self.attributes.items() if name not in roles}

    def mistake(self, text_id: str, annotator: str | None, *roles: str | None) -> Mistake:
        """The mark as a mistake of a list; `roles` are the attributes that hold correction and explanation."""
        return Mistake(
            text_id,
            self.tokens,
            self.label,
            self.correction or "",
            self.explanation,
            self.id,
            annotator,
            tuple(
                (name, str(one))
                for name, value in sorted(self.other_attributes(*roles).items())
                for one in (value if isinstance(value, list | tuple) else [value])
            ),
            self.links,
        )


class Marks(NamedTuple):
    """All that was marked in one text for one question. That nothing was marked is an answer too.

    So is an earlier answer after which nobody is asked for marks ("this text is fine"): then `asked` is false.
    """

    question: str
    role: str  # of the text
    marks: tuple[Mark, ...] = ()
    dismissed: tuple[str, ...] = ()  # suggestions that were turned down
    asked: bool = True


Said = Rating | Choice | Comparison | Words | Marks


@dataclass(frozen=True, slots=True)
class ReadAnswer:
    """One response, read: what was said to each question, in the order in which questions are asked.

    `unread` tells what could not be read, so that nothing is left out silently: an answer that was kept although its
    protocol refuses it, say.
    """

    said: tuple[Said, ...] = ()
    unread: tuple[Problem, ...] = ()

    @property
    def ratings(self) -> tuple[Rating, ...]:
        return tuple(one for one in self.said if isinstance(one, Rating))

    @property
    def choices(self) -> tuple[Choice, ...]:
        return tuple(one for one in self.said if isinstance(one, Choice))

    @property
    def comparisons(self) -> tuple[Comparison, ...]:
        return tuple(one for one in self.said if isinstance(one, Comparison))

    @property
    def words(self) -> tuple[Words, ...]:
        return tuple(one for one in self.said if isinstance(one, Words))

    @property
    def marks(self) -> tuple[Marks, ...]:
        return tuple(one for one in self.said if isinstance(one, Marks))

    def marked(self, question: str) -> Marks | None:
        """What was marked for a question; None if it was not answered."""
        return next((one for one in self.marks if one.question == question), None)

    def marks_of(self, question: str) -> tuple[Mark, ...]:
        """The marks of a question; none if it was not answered."""
        found = self.marked(question)
        return found.marks if found else ()

    def labels(self, question: str) -> tuple[str, ...]:
        """What was chosen in answer to a question: options, one of two texts, or a number."""
        return tuple(
            one.label
            for one in self.said
            if one.question == question
            and (isinstance(one, Rating | Comparison) or (isinstance(one, Choice) and one.chosen))
        )

    def told(self, question: str) -> str:
        """The answer to a question as one would write it down; nothing for marks, and if there is none."""
        words = next((one.words for one in self.words if one.question == question), "")
        return words or ", ".join(self.labels(question))
