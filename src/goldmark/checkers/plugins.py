"""What a checker is, and which there are.

A checker is opened on the data it checks texts against, and then reads one text at a time. To add one, publish a
`CheckerType` under the entry point group `goldmark.checkers`; see docs/how-to/write-a-checker.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

from goldmark.errors import GoldmarkError, Missing, Problem
from goldmark.plugins import Group
from goldmark.records.mistakes import Mistake
from goldmark.records.spans import Span
from goldmark.records.texts import Text

Verdict = Literal["supported", "contradicted", "unknown"]


class SourceMissing(GoldmarkError):
    code = "CHECK-12"
    message = "the checker {name!r} needs {needed}; give it as --source {needed}=PATH"


class ModeUnknown(GoldmarkError):
    code = "CHECK-16"
    message = "the checker {name!r} has no mode {mode!r}; {known}"


class CannotCheck(Missing):
    """A checker raises it for a text that it has no data for; the other texts are still checked."""

    code = "CHECK-13"
    message = "text {text} cannot be checked: {reason}"


@dataclass(frozen=True)
class Relation:
    """One statement of a text as who, what and value, and whether the data say so."""

    who: str
    what: str
    value: str
    verdict: Verdict

    @property
    def triple(self) -> tuple[str, str, str]:
        return self.who, self.what, self.value


@dataclass(frozen=True)
class CheckedClaim:
    """Something a text says: where, how it was understood, and how it fared."""

    span: Span
    reading: Mapping[str, str]
    verdict: Verdict
    evidence: str = ""
    relations: tuple[Relation, ...] = ()


@dataclass(frozen=True)
class CheckedText:
    """What a checker found in one text; mistakes and doubts do not overlap and go from left to right."""

    mistakes: tuple[Mistake, ...]
    claims: tuple[CheckedClaim, ...] = ()
    doubts: tuple[Mistake, ...] = ()  # what may be wrong besides; reported by a mode that asks for as little as theirs


class Checker(Protocol):
    """Reads one text and says what is wrong in it."""

    def check(self, text: Text) -> CheckedText: ...


@dataclass(frozen=True)
class CheckerType:
    """A kind of checker: its name, what it is for, the files it needs, and how it is opened on them."""

    name: str
    purpose: str
    sources: Mapping[str, str]  # name of a source -> what it holds
    open: Callable[[Mapping[str, Path]], tuple[Checker, list[Problem]]]
    optional: frozenset[str] = field(default_factory=frozenset)
    modes: Mapping[str, float] = field(
        default_factory=dict
    )  # name -> the least probability of a mistake that it reports


CHECKERS: Group[CheckerType] = Group(
    "checkers", "checker", CheckerType, {"table": "goldmark.checkers.table.plugin:TABLE"}
)


def opened(kind: CheckerType, sources: Mapping[str, Path]) -> tuple[Checker, list[Problem]]:
    """A checker on its data, and what was wrong with parts of the data."""
    for needed in kind.sources:
        if needed not in sources and needed not in kind.optional:
            raise SourceMissing(name=kind.name, needed=needed)
    return kind.open(sources)
