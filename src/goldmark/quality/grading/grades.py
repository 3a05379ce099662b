"""What a grade says: how good an answer was, whether it counts as right, and why, in words for the one who answered."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from goldmark.languages import gettext
from goldmark.protocols.expected import Expected
from goldmark.protocols.kinds import ProtocolContext, Question
from goldmark.records.units import Surface

Verdict = Literal["found", "missed", "extra", "optional"]


@dataclass(frozen=True, slots=True)
class GradedMark:
    """A passage that should have been marked, or was: found, missed, not an error, or not judged."""

    verdict: Verdict
    start: int
    end: int
    id: str  # the learner's own mark; empty where there is none
    label: str  # the label it should have, or has if it is no error
    sentence: str


@dataclass(frozen=True, slots=True)
class PartGrade:
    """How one question was answered."""

    question: str
    score: float  # 0 to 1, with partial credit
    right: bool
    sentences: tuple[str, ...]
    marks: tuple[GradedMark, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)  # of passages: expected, found, marks, extra, ...


@dataclass(frozen=True, slots=True)
class Grade:
    """How a whole unit was answered: the mean of its questions' scores; right if every one is right."""

    score: float
    right: bool
    parts: tuple[PartGrade, ...]

    @classmethod
    def of(cls, parts: tuple[PartGrade, ...]) -> Grade:
        return cls(sum(part.score for part in parts) / len(parts), all(part.right for part in parts), parts)

    @property
    def sentences(self) -> tuple[str, ...]:
        return tuple(sentence for part in self.parts for sentence in part.sentences)

    def to_json(self) -> dict[str, Any]:
        """Plain data, as it is stored and sent."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Grade:
        """What `to_json` wrote, also after a trip through a database."""
        return cls(
            data["score"],
            data["right"],
            tuple(
                PartGrade(
                    part["question"],
                    part["score"],
                    part["right"],
                    tuple(part["sentences"]),
                    tuple(GradedMark(**mark) for mark in part["marks"]),
                    dict(part["counts"]),
                )
                for part in data["parts"]
            ),
        )


@dataclass(frozen=True, slots=True)
class Judging:
    """What a grader may look at besides the answer and what it should have been."""

    around: ProtocolContext
    shown: Surface  # for quoting
    words: Mapping[str, str] = field(default_factory=dict)  # of the protocol, in the learner's language

    def said(self, words: str) -> str:
        """What the protocol says, as the learner reads it."""
        return self.words.get(words, words)


Grader = Callable[[Any, Sequence[Any], Expected, Judging], PartGrade]  # a question, and what was said to it


def part(question: Question, score: float, right: bool, *sentences: str) -> PartGrade:
    """A grade without marks; empty sentences are left out."""
    return PartGrade(question.id, score, right, tuple(sentence for sentence in sentences if sentence))


def unanswered(question: Question, wanted: Expected, judging: Judging) -> PartGrade:
    return part(question, 0.0, False, gettext("This was not answered."), judging.said(wanted.because))


def nearness(question: Question, apart: float) -> float:
    """The score of an answer that is so far off: it falls to 0 over the question's scale; without one it is 0."""
    least, most = question.scale() or (0.0, 0.0)
    return max(0.0, 1 - apart / (most - least)) if most > least else 0.0


def quoted(words: str) -> str:
    return gettext("“{words}”", words=words)


def any_of(words: Sequence[str]) -> str:
    """Some words as a sentence names them: “one”, “two” or “three”."""
    *others, last = [quoted(word) for word in words]
    return gettext("{others} or {last}", others=", ".join(others), last=last) if others else last


def all_of(words: Sequence[str]) -> str:
    """“one”, “two” and “three”."""
    return together([quoted(word) for word in words])


def together(parts: Sequence[str]) -> str:
    """Some parts of a sentence, all of which hold."""
    *others, last = parts
    return gettext("{others} and {last}", others=", ".join(others), last=last) if others else last
