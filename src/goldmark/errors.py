"""Errors that a user can understand and mend.

The domain raises; the edges (web, command line) translate. A `GoldmarkError` never shows a traceback: it has a stable
code, a message with the facts and the remedy, and a kind that decides the HTTP status and the exit code.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, ClassVar

TOLD = 20  # problems that a traceback tells
ALIKE = 5  # problems of one kind that people are told one by one; of more, they see these and how many there are
LONGEST_TOLD = 2_000  # characters
MOST_PROBLEMS = 1_000  # with more, something is wrong with all of it; small files could hold a million


class Kind(Enum):
    """What sort of trouble it is; `web` maps it to a status, `cli` to an exit code."""

    INVALID = "invalid"  # what was given is wrong
    MISSING = "missing"  # what was asked for does not exist
    FORBIDDEN = "forbidden"  # it exists, but not for this person
    CONFLICT = "conflict"  # it was right, but the world has moved on
    TOO_MANY = "too many"  # slow down
    FAILED = "failed"  # right question, and it did not work


class GoldmarkError(Exception):
    """Subclass it or a kind of it, once per thing that a user can fix; `message` is a format string over the facts."""

    code: ClassVar[str] = "GOLDMARK-00"
    kind: ClassVar[Kind] = Kind.INVALID
    message: ClassVar[str] = "{reason}"

    def __init__(self, **facts: object) -> None:
        self.facts = facts
        super().__init__(self.message.format(**facts))

    def further(self) -> dict[str, Any]:
        """What a program can use beside the message, as data."""
        return {}

    def __reduce__(self) -> tuple[object, ...]:
        """An error may come from another process; Python would make it anew from its words alone."""
        return _from_elsewhere, (type(self), self.args, self.__dict__)


class Missing(GoldmarkError):
    kind = Kind.MISSING


class Forbidden(GoldmarkError):
    kind = Kind.FORBIDDEN


class Conflict(GoldmarkError):
    kind = Kind.CONFLICT


class TooMany(GoldmarkError):
    kind = Kind.TOO_MANY


class Failed(GoldmarkError):
    kind = Kind.FAILED


def _from_elsewhere(kind: type[GoldmarkError], args: tuple[object, ...], state: dict[str, object]) -> GoldmarkError:
    error = kind.__new__(kind)
    error.args = args
    error.__dict__.update(state)
    return error


@dataclass(frozen=True)
class Problem:
    """One thing wrong with what was given: where, what, and how to mend it."""

    where: str  # "texts.jsonl:208", "accuracy.yaml:14", or the id of a question
    what: str
    remedy: str = ""
    part: str = ""  # finer than `where`: a key, a column, the id of a span

    def __post_init__(self) -> None:
        """What is quoted of a stranger's file may be endless, or half a character that nothing can print."""
        for name in ("where", "what", "remedy", "part"):
            told: str = getattr(self, name)
            if len(told) > LONGEST_TOLD or not told.isascii():
                printable = told[:LONGEST_TOLD].encode("utf-8", "backslashreplace").decode()
                object.__setattr__(self, name, printable)

    def __str__(self) -> str:
        remedy = f"; {self.remedy}" if self.remedy else ""
        return f"{self.where}  {self.what}{remedy}"


def condensed(problems: Sequence[Problem]) -> list[Problem]:
    """Problems for people to read: where one kind of them fills the page, the first few and how many more there are."""
    of_kind = Counter(map(_kind_of, problems))
    last = {_kind_of(problem): problem.where for problem in problems}
    seen: Counter[str] = Counter()
    told = []
    for problem in problems:
        kind = _kind_of(problem)
        seen[kind] += 1
        more = of_kind[kind] - ALIKE
        if seen[kind] <= ALIKE or more == 1:
            told.append(problem)
        elif seen[kind] == ALIKE + 1:
            told.append(Problem("…", f"and {more} more of this kind, the last at {last[kind]}"))
    return told


def _kind_of(problem: Problem) -> str:
    """What is wrong, whatever the words and numbers that it is said of."""
    return re.sub(r'"[^"]*"|\d+', "", problem.what)


class ProblemsFound(GoldmarkError):
    """Everything that is wrong, at once; nothing was changed."""

    code = "PROBLEMS-01"
    message = "{count} {noun}; {consequence}"

    def __init__(self, problems: Iterable[Problem], consequence: str = "nothing was changed") -> None:
        found = tuple(problems)
        self.problems = found[:MOST_PROBLEMS]
        noun = "problem" if len(found) == 1 else "problems"
        if len(found) >= MOST_PROBLEMS:
            noun = f"problems or more, the first {MOST_PROBLEMS:,} are told"
        super().__init__(count=len(found), noun=noun, consequence=consequence)
        for problem in condensed(self.problems)[:TOLD]:
            self.add_note(str(problem))  # a traceback, which is all that a notebook shows, tells them too

    def further(self) -> dict[str, Any]:
        """Problems carry where they are, so that a page can show each beside its question."""
        problems = (
            {"where": problem.where, "part": problem.part, "what": problem.what, "remedy": problem.remedy}
            for problem in self.problems
        )
        return {"problems": list(problems)}

    def told_as(self, problems: Iterable[Problem]) -> ProblemsFound:
        """The same, its problems in other words."""
        return ProblemsFound(problems, consequence=str(self.facts["consequence"]))


class ProblemList(list[Problem]):
    """Problems of a file as they are found. With too many of them reading ends, so that nobody waits for a million."""

    def append(self, problem: Problem) -> None:
        super().append(problem)
        if len(self) >= MOST_PROBLEMS:
            raise ProblemsFound(self, "reading ended there, and nothing was imported")

    def extend(self, problems: Iterable[Problem]) -> None:
        for problem in problems:
            self.append(problem)

    def __iadd__(self, problems: Iterable[Problem]) -> ProblemList:  # type: ignore[override,misc]
        self.extend(problems)
        return self
