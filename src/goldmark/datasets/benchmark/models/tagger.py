"""Erroneous and associated tokens by a conditional random field (CRFsuite).

A field that maximises likelihood says "fine" of most tokens, because most are. So the share of belief from which a
token counts as erroneous or associated is chosen on dev, for F1.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from goldmark.datasets.benchmark.models.base import Tell
from goldmark.datasets.benchmark.models.features import token_features
from goldmark.datasets.benchmark.models.linear import package
from goldmark.datasets.benchmark.tasks import TaskItem, TaskSpans

ROUNDS = 60
THRESHOLDS = np.arange(0.05, 0.75, 0.05)


class Tagger:
    """Beliefs about every token, and the thresholds that turn them into spans."""

    name = "linear"

    def __init__(self) -> None:
        self._tagger: Any = None
        self._bytes = b""  # CRFsuite reads from this memory as long as the tagger lives
        self._from = {"E": 0.5, "A": 0.5}

    def fit(self, train: Sequence[TaskItem], dev: Sequence[TaskItem], tell: Tell) -> None:
        crf = package("pycrfsuite")
        trainer = crf.Trainer(verbose=False)
        for item in train:
            trainer.append(token_features(item.tokens), [item.gold.tag(place) for place in range(len(item.tokens))])
        trainer.set_params({"c1": 0.05, "c2": 0.01, "max_iterations": ROUNDS, "feature.minfreq": 2})
        tell(f"training on {sum(len(item.tokens) for item in train):,} tokens")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model"
            trainer.train(str(path))
            self._bytes = path.read_bytes()
        self._tagger = crf.Tagger()
        self._tagger.open_inmemory(self._bytes)
        self._choose(dev or train, tell)

    def _choose(self, items: Sequence[TaskItem], tell: Tell) -> None:
        beliefs = [self.beliefs(item) for item in items]
        for column, tag in enumerate("EA"):
            right = [_wanted(item, tag) for item in items]
            if not any(tokens.any() for tokens in right):
                self._from[tag] = 1.1  # nobody marks such tokens here
                continue
            flat, truth = np.concatenate([belief[:, column] for belief in beliefs]), np.concatenate(right)
            scores = [_f1(flat >= level, truth) for level in THRESHOLDS]
            self._from[tag] = float(THRESHOLDS[int(np.argmax(scores))])
            tell(f"{tag} from a belief of {self._from[tag]:.2f}: F1 {max(scores):.3f}")

    def beliefs(self, item: TaskItem) -> NDArray[np.float64]:
        """For every token how likely it is erroneous, and how likely associated."""
        self._tagger.set(token_features(item.tokens))
        known = set(self._tagger.labels())
        return np.array(
            [
                [self._tagger.marginal(tag, place) if tag in known else 0.0 for tag in "EA"]
                for place in range(len(item.tokens))
            ]
        ).reshape(len(item.tokens), 2)

    def predict(self, items: Sequence[TaskItem], tell: Tell) -> list[Any]:
        return [self.spans(item) for item in items]

    def spans(self, item: TaskItem) -> TaskSpans:
        belief = self.beliefs(item)
        erroneous = frozenset(np.flatnonzero(belief[:, 0] >= self._from["E"]).tolist())
        if not erroneous and len(belief):  # every text that is asked about has an error
            erroneous = frozenset([int(np.argmax(belief[:, 0]))])
        return TaskSpans(erroneous, frozenset(np.flatnonzero(belief[:, 1] >= self._from["A"]).tolist()) - erroneous)


def _wanted(item: TaskItem, tag: str) -> NDArray[np.bool_]:
    return np.array([item.gold.tag(place) == tag for place in range(len(item.tokens))], dtype=bool)


def _f1(said: NDArray[np.bool_], right: NDArray[np.bool_]) -> float:
    both = float((said & right).sum())
    return 2 * both / float(said.sum() + right.sum()) if both else 0.0
