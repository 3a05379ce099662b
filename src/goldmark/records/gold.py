"""Gold mistakes: what several people reported, settled into one list, with how far they agreed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from goldmark.records.mistakes import Mistake
from goldmark.records.spans import Span


def by_name(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Attributes by name, each with its values."""
    values: dict[str, list[str]] = {}
    for name, value in pairs:
        values.setdefault(name, []).append(value)
    return values


@dataclass(frozen=True, slots=True, order=True)
class AnnotatorReport:
    """What one annotator reported, exactly as they marked it."""

    annotator: str
    span: Span
    label: str
    correction: str = ""
    comment: str = ""
    id: str = ""
    other_form: bool = False  # it marks other words, and was counted because it says the same of the same clause
    attributes: tuple[tuple[str, str], ...] = ()
    links: tuple[tuple[str, Span], ...] = ()


@dataclass(frozen=True, slots=True)
class GoldMistake:
    """A curated mistake. A count is None where nobody knows it, as in a list that came without its annotators."""

    text_id: str
    span: Span
    label: str
    correction: str = ""
    comment: str = ""
    found_by: int | None = None  # how many found it in any form
    label_agreed_by: int | None = None  # how many of those gave it this label
    span_agreed_by: int | None = None  # how many of those marked exactly these tokens
    annotators: int | None = None  # how many looked at the text
    sources: tuple[AnnotatorReport, ...] = ()
    corrections: tuple[str, ...] = ()  # all that were proposed, most common first
    comments: tuple[str, ...] = ()
    note: str = ""
    id: str = ""
    group: str = ""  # mistakes of one group were reported as one by somebody, or are forms of the same error
    attributes: tuple[tuple[str, str], ...] = ()  # what most said of it besides, such as its severity
    links: tuple[tuple[str, Span], ...] = ()  # role and tokens of passages that belong to it

    @property
    def unanimous(self) -> bool:
        """Did everybody who saw the text mark exactly these tokens with this label?

        Where the sources are known, their own marks must be exactly this: nobody marked "64" who marked "64 - 52".
        """
        agreed = (self.found_by, self.label_agreed_by, self.span_agreed_by)
        exact = all(source.span == self.span and source.label == self.label for source in self.sources)
        return exact and self.annotators is not None and all(count == self.annotators for count in agreed)

    def mistake(self) -> Mistake:
        said = (self.label, self.correction, self.comment, self.id)
        return Mistake(self.text_id, self.span, *said, attributes=self.attributes, links=self.links)


@dataclass(frozen=True, slots=True)
class Reported:
    """A reported error that is not in the gold list: one span, and everybody who marked exactly that."""

    text_id: str
    span: Span
    labels: tuple[str, ...]  # most common first
    sources: tuple[AnnotatorReport, ...]
    group: str = ""


@dataclass(frozen=True, slots=True)
class GoldText:
    """One text's part of a gold list, as it was frozen. Version 0 is a proposal; curation makes version 1, 2, 3, ..."""

    text_id: str
    mistakes: tuple[GoldMistake, ...]
    left_out: tuple[Reported, ...] = ()
    annotators: tuple[str, ...] = ()  # who looked at the text
    version: int = 0
    author: str = ""
    reason: str = ""
    at: datetime | None = field(default=None, compare=False)
