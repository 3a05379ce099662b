"""Which reported mistakes are which gold mistakes.

The shared task's rule: the two match when their spans share a token. Gold mistakes are gone through from left to
right, each takes the first reported mistake from the left that overlaps it, and a reported mistake once taken finds
nothing else. The category plays no part, except that a category's own row compares that category's mistakes alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from goldmark.records.mistakes import Mistake
from goldmark.stats.agreement_measures.span_matching import overlapping_pairs


@dataclass(frozen=True)
class Matches:
    """The mistakes of one text or of many, sorted into what was found, missed and invented."""

    found: tuple[tuple[Mistake, Mistake], ...]  # gold, reported
    missed: tuple[Mistake, ...]
    invented: tuple[Mistake, ...]


class MatchCounts(NamedTuple):
    """What one text adds to the totals; a score is computed from sums of these."""

    found: int
    gold: int
    submitted: int
    tokens_found: int
    gold_tokens: int
    submitted_tokens: int


def match(gold: Iterable[Mistake], reported: Iterable[Mistake]) -> Matches:
    """Match the mistakes of one text."""
    golds, reports = tuple(gold), tuple(reported)
    pairs = overlapping_pairs([mistake.span for mistake in golds], [mistake.span for mistake in reports])
    taken, used = {first for first, _ in pairs}, {second for _, second in pairs}
    return Matches(
        tuple((golds[first], reports[second]) for first, second in pairs),
        tuple(sorted((mistake for place, mistake in enumerate(golds) if place not in taken), key=_place)),
        tuple(sorted((mistake for place, mistake in enumerate(reports) if place not in used), key=_place)),
    )


def count(gold: Sequence[Mistake], reported: Sequence[Mistake]) -> MatchCounts:
    """Count the mistakes of one text, matched and token by token."""
    gold_tokens, reported_tokens = _tokens(gold), _tokens(reported)
    return MatchCounts(
        len(match(gold, reported).found) if gold and reported else 0,
        len(gold),
        len(reported),
        len(gold_tokens & reported_tokens),
        len(gold_tokens),
        len(reported_tokens),
    )


def by_text(mistakes: Iterable[Mistake]) -> dict[str, list[Mistake]]:
    """Mistakes by the text they are in, in the order of the list."""
    texts: dict[str, list[Mistake]] = {}
    for mistake in mistakes:
        texts.setdefault(mistake.text_id, []).append(mistake)
    return texts


def _place(mistake: Mistake) -> tuple[int, int]:
    return mistake.span.start, mistake.span.end


def _tokens(mistakes: Iterable[Mistake]) -> set[int]:
    return {position for mistake in mistakes for position in mistake.span.positions()}
