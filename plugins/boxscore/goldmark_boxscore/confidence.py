"""Confidence: how likely it is that annotators mark a mistake, too.

A logistic model of few signs, fitted on the marks that the checker makes in the training texts
(`python -m benchmarks checker_confidence`): how often marks of its kind and category were right, drawn towards all
marks' rate where there were few; how many faults hang on its anchor; by how much the explanation is cheaper than the
second best; for a player who seems out of place, how long the story has been his opponents'; and whether it is a word
beside a name that is wrong itself, since annotators often leave it at the name. The fitted numbers are in
`data/confidence.yaml`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import exp, log

import numpy as np
import yaml

SHRINKAGE = 30.0  # marks of the average kind that every kind's rate is mixed with
MOST_MARGIN = 3.0
MOST_FAULTS = 4
LONG_STORY = 3
RIDGE = 2.0
MEMBERSHIP = "membership"


@dataclass(frozen=True)
class Signs:
    """What is known of a mark that tells how sure it is."""

    kind: str  # of its claim; "wrong player", "wrong team", "wrong shot", "wrong period" of a changed anchor
    label: str = ""  # its category
    faults: int = 1  # that hang on the same anchor
    margin: float = MOST_MARGIN  # what the second best explanation costs more
    story: int = 0  # players in a row of the team that is told of, before one of the other team
    beside: bool = False  # a word said of a name that is marked, too

    @property
    def group(self) -> str:
        """The marks whose rate tells of this one."""
        return f"{self.kind} {self.label}".strip()


@dataclass(frozen=True)
class Confidence:
    """A fitted model: rates of the kinds and the weights of the signs."""

    rate: float
    kinds: Mapping[str, tuple[int, int]]  # by kind and category: right, all
    weights: tuple[float, ...]

    def probability(self, signs: Signs) -> float:
        score = sum(weight * value for weight, value in zip(self.weights, self._row(signs), strict=True))
        return 1 / (1 + exp(-score))

    def _row(self, signs: Signs, known: bool | None = None) -> tuple[float, ...]:
        """The signs as numbers; a mark whose truth is known is left out of its own kind's rate."""
        right, every = self.kinds.get(signs.group, (0, 0))
        if known is not None:
            right, every = right - known, every - 1
        rate = (right + SHRINKAGE * self.rate) / (every + SHRINKAGE)
        return (
            1.0,
            log(rate / (1 - rate)),
            min(signs.faults, MOST_FAULTS) - 1.0,
            min(max(signs.margin, 0.0), MOST_MARGIN) - MOST_MARGIN,
            min(signs.story, LONG_STORY) / LONG_STORY - 1.0 if signs.kind == MEMBERSHIP else 0.0,
            float(signs.beside),
        )

    @classmethod
    def fit(cls, marks: Sequence[tuple[Signs, bool]]) -> Confidence:
        """The weights by penalised likelihood: without evidence the kind's rate stands as it is."""
        kinds: dict[str, tuple[int, int]] = {}
        for signs, right in marks:
            found, every = kinds.get(signs.group, (0, 0))
            kinds[signs.group] = (found + right, every + 1)
        rate = sum(right for _, right in marks) / len(marks)
        start = np.array([0.0, 1.0, 0.0, 0.0, 0.0, 0.0])
        bare = cls(rate, kinds, tuple(start))
        rows = np.array([bare._row(signs, right) for signs, right in marks])
        truth = np.array([float(right) for _, right in marks])
        weights = start.copy()
        for _ in range(25):
            expected = 1 / (1 + np.exp(-rows @ weights))
            slope = rows.T @ (truth - expected) - RIDGE * (weights - start)
            curve = rows.T @ (rows * (expected * (1 - expected))[:, None]) + RIDGE * np.eye(len(start))
            weights = weights + np.linalg.solve(curve, slope)
        return cls(rate, kinds, tuple(float(weight) for weight in weights))

    def as_data(self) -> dict[str, object]:
        """As it is written to `data/confidence.yaml`."""
        kinds = {kind: list(counts) for kind, counts in sorted(self.kinds.items())}
        return {"rate": round(self.rate, 4), "weights": [round(weight, 4) for weight in self.weights], "kinds": kinds}


@cache
def fitted() -> Confidence:
    """The model that comes with the checker."""
    text = (files("goldmark_boxscore") / "data" / "confidence.yaml").read_text(encoding="utf-8")
    data = yaml.safe_load(text)
    kinds = {kind: (right, every) for kind, (right, every) in data["kinds"].items()}
    return Confidence(data["rate"], kinds, tuple(data["weights"]))
