"""Corrections by edits learnt from training data.

A tagger finds the passage. Every edit of the training data that could be made there is compared by what stands around
it and in the text; the most similar one is made, if it is similar enough. How similar that must be is chosen on dev,
for F0.5.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from goldmark.datasets.benchmark.maxmatch import EditCounts, count, f_score, gold_edits
from goldmark.datasets.benchmark.models.base import Tell
from goldmark.datasets.benchmark.models.linear import nearest, similar
from goldmark.datasets.benchmark.models.tagger import Tagger
from goldmark.datasets.benchmark.tasks import TaskItem, TaskSpans, runs

LEVELS = (0.0, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.6)


class _EditPlace(NamedTuple):
    """Where an edit may be made, and how much the best known edit there is like it."""

    start: int
    end: int
    words: tuple[str, ...]
    likeness: float


class Editor:
    """What was removed leads to what was put in its place, told apart by context."""

    name = "linear"

    def __init__(self) -> None:
        self._tagger = Tagger()
        self._from = 0.0
        # By what an edit removes: the contexts in which it was seen, and what was written instead.
        self._known: dict[tuple[str, ...], tuple[Any, Any, list[tuple[str, ...]]]] = {}

    def fit(self, train: Sequence[TaskItem], dev: Sequence[TaskItem], tell: Tell) -> None:
        self._tagger.fit(_marked(train), _marked(dev), tell)
        contexts: dict[tuple[str, ...], list[tuple[TaskItem, tuple[str, ...]]]] = defaultdict(list)
        for item in train:
            for gold in gold_edits(item.tokens, item.edits):
                removed = tuple(token.lower() for token in item.tokens[gold.start : gold.end])
                contexts[removed].append((_around(item, gold.start, gold.end), min(gold.accepted)))
        for removed, seen in contexts.items():
            vector, matrix = similar([item for item, _ in seen])
            self._known[removed] = vector, matrix, [words for _, words in seen]
        tell(f"{sum(len(seen) for seen in contexts.values()):,} edits of {len(contexts):,} kinds")
        if dev:
            self._choose(dev, tell)

    def _choose(self, dev: Sequence[TaskItem], tell: Tell) -> None:
        places = [self._places(item) for item in dev]
        scores = []
        for level in LEVELS:
            total = EditCounts(0, 0, 0)
            for item, found in zip(dev, places, strict=True):
                mine = count(item.tokens, _made(item, found, level), [gold_edits(item.tokens, item.edits)])
                total = EditCounts(*(one + two for one, two in zip(total, mine, strict=True)))
            scores.append(f_score(total) if total.proposed else 0.0)
        self._from = LEVELS[int(np.argmax(scores))]
        tell(f"edits from a likeness of {self._from:.2f}: F0.5 {max(scores):.3f} on dev")

    def predict(self, items: Sequence[TaskItem], tell: Tell) -> list[Any]:
        return [_made(item, self._places(item), self._from) for item in items]

    def _places(self, item: TaskItem) -> list[_EditPlace]:
        """The best edit of every passage that the tagger finds."""
        found = []
        for start, end in runs(self._tagger.spans(item).erroneous):
            best = max(self._candidates(item, start, end), key=lambda one: one.likeness, default=None)
            if best is not None:
                found.append(best)
        return found

    def _candidates(self, item: TaskItem, start: int, end: int) -> Iterator[_EditPlace]:
        """The passage itself, its parts, one word more on either side, and the gaps in it."""
        low, high = max(0, start - 1), min(len(item.tokens), end + 1)
        for first in range(low, high + 1):
            for last in range(first, min(high, first + 6) + 1):
                removed = tuple(token.lower() for token in item.tokens[first:last])
                if removed not in self._known:
                    continue
                vector, seen, words = self._known[removed]
                ((place, likeness),) = nearest(vector, seen, [_around(item, first, last)])
                yield _EditPlace(first, last, words[place], likeness)


def _around(item: TaskItem, start: int, end: int) -> TaskItem:
    """The item as a question about this passage; a gap is asked about by the word that follows it."""
    length = len(item.tokens)
    last = end if end > start else min(length, start + 1)
    return replace(item, span=(min(start, length - 1), max(last, 1)))


def _made(item: TaskItem, places: Sequence[_EditPlace], level: float) -> tuple[str, ...]:
    tokens = list(item.tokens)
    free = len(tokens) + 1
    for one in sorted(places, reverse=True):
        if one.likeness >= level and one.end <= free:
            tokens[one.start : one.end] = one.words
            free = one.start
    return tuple(tokens)


def _marked(items: Sequence[TaskItem]) -> list[TaskItem]:
    """The same items as questions for the tagger."""
    erroneous = [frozenset(token for edit in item.edits for token in range(edit.start, edit.end)) for item in items]
    return [
        replace(item, gold=TaskSpans(tokens, frozenset()))
        for item, tokens in zip(items, erroneous, strict=True)
        if tokens
    ]
