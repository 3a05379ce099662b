"""What a learner goes through, one item after the other: something to read, a text to judge, two texts to compare."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from goldmark.protocols import Protocol
from goldmark.protocols.kinds.compare import CompareQuestion
from goldmark.protocols.language import ProtocolFile, Step
from goldmark.protocols.training.exercises import key_of, shown_of
from goldmark.protocols.training.kits import ComparisonTraining, Exercise, Qualification, TrainingPart
from goldmark.quality.grading import Grade, grade
from goldmark.records.units import ShownUnit

PICK = "pick"


@dataclass(frozen=True)
class CourseItem:
    """One thing to read or to answer. Its key and its explanation stay here until it was answered."""

    id: str  # "2.1": the first exercise of the second part
    title: str
    markdown: str = ""  # something to read, if there is no unit
    shown: ShownUnit | None = None
    asked: Protocol | None = None  # what is asked of the unit, where it is not the campaign's own protocol
    key: Mapping[str, Any] = field(default_factory=dict)
    explanation: str = ""

    @property
    def is_reading(self) -> bool:
        return self.shown is None

    def grade(self, protocol: Protocol, answers: Mapping[str, Any]) -> Grade | None:
        """None where nobody has said what is right."""
        return grade(self.asked or protocol, answers, self.key, self.shown) if self.key and self.shown else None


@dataclass(frozen=True)
class _ByDigest:
    """A protocol as a key of a cache: equal if the digest is."""

    digest: str
    it: Protocol = field(compare=False)


@lru_cache(maxsize=64)
def _kit(protocol: _ByDigest, name: str) -> tuple[CourseItem, ...]:
    parts = protocol.it.file.training.get(name, ())
    return tuple(item for number, part in enumerate(parts, start=1) for item in _items(part, number, protocol.it))


@lru_cache(maxsize=64)
def _examination(protocol: _ByDigest) -> tuple[CourseItem, ...]:
    wanted = protocol.it.file.qualification
    return tuple(_exercises(wanted.units, "q", "Qualification", protocol.it)) if wanted else ()


def lessons(protocol: Protocol, kit: str) -> tuple[CourseItem, ...]:
    """Everything of a training kit, in order."""
    return _kit(_ByDigest(protocol.digest, protocol), kit)


def examination(protocol: Protocol, attempt: int) -> tuple[CourseItem, ...]:
    """The qualification as it is put to someone at this attempt, counted from 1."""
    wanted = protocol.file.qualification
    if wanted is None:
        return ()
    items = _examination(_ByDigest(protocol.digest, protocol))
    taken = [items[place] for place in _places(wanted, attempt)]
    reading = (CourseItem("q0", "Before you begin", wanted.instructions),) if wanted.instructions.strip() else ()
    return (*reading, *taken)


def _places(wanted: Qualification, attempt: int) -> Iterator[int]:
    """All texts, or the next `take` of them, starting again after the last."""
    size = wanted.take or len(wanted.units)
    first = (attempt - 1) * size if wanted.take else 0
    return ((first + offset) % len(wanted.units) for offset in range(size))


def _items(part: TrainingPart, number: int, protocol: Protocol) -> Iterator[CourseItem]:
    if part.instructions is not None:
        yield CourseItem(f"{number}", part.title or "Please read", part.instructions)
    elif part.comparison is not None:
        yield from _pairs(part.comparison, f"{number}.", part.title)
    else:
        exercises = part.examples or part.practice or ()
        usual = "Example" if part.examples else "Practice"
        yield from _exercises(exercises, f"{number}.", part.title or usual, protocol)


def _exercises(exercises: Sequence[Exercise], prefix: str, title: str, protocol: Protocol) -> Iterator[CourseItem]:
    questions = {question.id: question for question in protocol.questions()}
    for position, exercise in enumerate(exercises, start=1):
        name = f"{prefix}{position}"
        shown = shown_of(exercise, f"exercise-{name}")
        key = key_of(exercise.expected, questions, shown)
        yield CourseItem(name, title, shown=shown, key=key, explanation=exercise.explanation)


def _pairs(comparison: ComparisonTraining, prefix: str, title: str) -> Iterator[CourseItem]:
    question = CompareQuestion(id=PICK, kind="compare", ask=comparison.ask, help=comparison.help)
    step = Step(questions=(question,))
    asked = Protocol(ProtocolFile(protocol="comparison/1", title=comparison.ask, texts=("a", "b"), steps=(step,)), "")
    for position, pair in enumerate(comparison.pairs, start=1):
        name = f"{prefix}{position}"
        shown = shown_of(pair, f"pair-{name}")
        yield CourseItem(name, title or "Compare", "", shown, asked, {PICK: pair.answer}, pair.explanation)
