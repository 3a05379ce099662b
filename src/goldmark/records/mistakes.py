"""A mistake: a span of a text that somebody, or some metric, says is wrong."""

from __future__ import annotations

from dataclasses import dataclass

from goldmark.records.spans import Span


@dataclass(frozen=True, slots=True)
class Mistake:
    """A categorised span of tokens, positions from 0 and end exclusive, with what should have stood there and why."""

    text_id: str
    span: Span
    label: str
    correction: str = ""
    comment: str = ""
    id: str = ""  # unique within its list where it is given; empty where the list has no ids
    annotator: str | None = None  # who reported it; None in a curated or a metric's list
    attributes: tuple[tuple[str, str], ...] = ()  # what else was asked of it, such as severity; one pair per value
    links: tuple[tuple[str, Span], ...] = ()  # role and tokens of passages that belong to it
    probability: float | None = None  # how likely it is one, where who reported it says so
