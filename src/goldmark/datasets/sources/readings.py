"""What people said of one text, whatever campaign or file it comes from: the one shape that everything here works on.

A text keeps its tokens as plain pairs of numbers. A million of them pass through here one text at a time, and an object
for each would be most of the work.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol

Rule = Literal["auto", "gold", "approved", "vote", "first", "all"]  # which reading counts; see `choosing`
Place = tuple[int, int]  # tokens from, and up to but not including


@dataclass(frozen=True, slots=True)
class Associated:
    """A passage that belongs to an error: for TGEA the words that show that it is one."""

    role: str
    start: int
    end: int


class MarkedError(NamedTuple):
    """One error that a person marked. `correction` is None where none was given, and empty where words should go."""

    id: str
    start: int
    end: int
    label: str = ""
    correction: str | None = None
    rationale: str = ""
    associated: tuple[Associated, ...] = ()
    attributes: tuple[tuple[str, str], ...] = ()  # whatever else was asked of it, by name

    @property
    def type(self) -> str:
        """The first level of the label."""
        return self.label.partition(".")[0]

    @property
    def subtype(self) -> str:
        """What follows it."""
        return self.label.partition(".")[2]


@dataclass(frozen=True, slots=True)
class Reading:
    """One person's final word on a text: its errors, or why it should not be in a dataset."""

    annotator: str
    errors: tuple[MarkedError, ...] = ()
    discarded: str = ""  # the answer that set it aside, such as "ambiguous"
    approved: bool = False

    @property
    def erroneous(self) -> bool:
        return bool(self.errors)


@dataclass(frozen=True, slots=True)
class ReadText:
    """A text with everything that people said of it."""

    id: str
    characters: str
    tokens: Sequence[Sequence[int]]  # start and end of each, in characters
    readings: tuple[Reading, ...]
    gold: Reading | None = None  # what curators settled
    language: str = ""
    tokeniser: str = "rules"
    system: str = ""
    prompt: int = 0  # how many tokens were given to the system
    context: tuple[tuple[str, str], ...] = ()  # what was shown beside it: title and text
    item: str = ""  # what it is about: texts of one item stay in one split

    def slice(self, start: int, end: int) -> str:
        return self.characters[self.tokens[start][0] : self.tokens[end - 1][1]]


@dataclass(frozen=True)
class SourceDescription:
    """What is known of where the texts come from; it goes into the data card."""

    name: str
    title: str
    protocol: str = ""
    method: str = ""  # the protocol in one sentence
    origin: str = ""  # where an imported dataset comes from
    labels: Mapping[str, tuple[str, str]] = field(default_factory=dict)  # path: name and help
    facts: Mapping[str, Any] = field(default_factory=dict)  # counts and times, as the card shows them


class DatasetSource(Protocol):
    """Where a dataset is made from. `texts` may be read once and keeps one text at a time."""

    @property
    def about(self) -> SourceDescription: ...

    def texts(self) -> Iterator[ReadText]: ...


class ImportedSource(DatasetSource, Protocol):
    """Annotations from elsewhere, which know which answer counts where several people read a text."""

    @property
    def choose(self) -> Rule: ...
