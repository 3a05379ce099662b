"""`random`: what one gets by guessing, knowing only how often each answer occurs in the training data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from goldmark.datasets.benchmark.maxmatch import gold_edits
from goldmark.datasets.benchmark.models.base import Tell
from goldmark.datasets.benchmark.tasks import BenchmarkTask, TaskItem, TaskSpans


class Chance:
    """Erroneous or fine with equal chance; tags of tokens and types as often as in training; somebody's rationale; and
    one word replaced by somebody's correction."""

    name = "random"

    def __init__(self, task: BenchmarkTask, rng: np.random.Generator) -> None:
        self._task, self._rng = task, rng
        self._seen: list[Any] = []
        self._tags = np.array([1.0, 0.0, 0.0])

    def fit(self, train: Sequence[TaskItem], dev: Sequence[TaskItem], tell: Tell) -> None:
        if self._task.name == "spans":
            counts = Counter(item.gold.tag(place) for item in train for place in range(len(item.tokens)))
            self._tags = np.array([counts["O"], counts["E"], counts["A"]], dtype=np.float64)
            self._tags /= self._tags.sum()
        elif self._task.name == "correct":
            edits = [gold for item in train for gold in gold_edits(item.tokens, item.edits)]
            self._seen = [sorted(gold.accepted)[0] for gold in edits] or [()]
        else:
            self._seen = [item.gold for item in train]

    def predict(self, items: Sequence[TaskItem], tell: Tell) -> list[Any]:
        return [self._guess(item) for item in items]

    def _guess(self, item: TaskItem) -> Any:
        rng = self._rng
        if self._task.name == "detect":
            return bool(rng.random() < 0.5)
        if self._task.name == "spans":
            tags = rng.choice(3, size=len(item.tokens), p=self._tags)
            return TaskSpans(
                frozenset(np.flatnonzero(tags == 1).tolist()), frozenset(np.flatnonzero(tags == 2).tolist())
            )
        guess = self._seen[int(rng.integers(len(self._seen)))]
        if self._task.name != "correct":
            return guess
        place = int(rng.integers(len(item.tokens)))
        return (*item.tokens[:place], *guess, *item.tokens[place + 1 :])
