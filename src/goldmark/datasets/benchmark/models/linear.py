"""`linear`: trains in minutes on a CPU, with no pretrained weights.

Logistic regression over n-grams for texts and types, a conditional random field over tokens for spans, edits learnt
from training data for corrections, and the rationale on which the most similar training errors agree.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from goldmark.datasets.benchmark.models.base import BenchmarkModel, ModelNotInstalled, Tell
from goldmark.datasets.benchmark.models.features import span_features, text_features
from goldmark.datasets.benchmark.tasks import BenchmarkTask, TaskItem

BITS = 20  # features are hashed into so many bits: memory is bounded whatever the texts


def linear_model(task: BenchmarkTask, rng: np.random.Generator) -> BenchmarkModel:
    """The linear baseline of a task."""
    if task.name in ("detect", "type"):
        return Classifier(task, rng)
    if task.name == "spans":
        from goldmark.datasets.benchmark.models.tagger import Tagger

        return Tagger()
    if task.name == "correct":
        from goldmark.datasets.benchmark.models.edits import Editor

        return Editor()
    return Retriever()


def package(module: str) -> Any:
    """A module of the extra `benchmark`, or how to install it."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        needed = "python-crfsuite" if module == "pycrfsuite" else "scikit-learn"
        command = "pip install 'goldmark[benchmark]'"
        raise ModelNotInstalled(name="linear", package=needed, command=command) from error


def features(item: TaskItem) -> list[str]:
    """Of an item: its text's, and its error's where it asks about one."""
    return list(text_features(item.tokens) if item.span is None else _both(item, item.span))


def _both(item: TaskItem, span: tuple[int, int]) -> Iterator[str]:
    yield from span_features(item.tokens, span)
    yield from (f"text {token.lower()}" for token in item.tokens)


class Classifier:
    """Logistic regression, classes weighted so that each counts as much as any other; its strength chosen on dev."""

    name = "linear"
    STRENGTHS = (0.1, 1.0, 10.0)

    def __init__(self, task: BenchmarkTask, rng: np.random.Generator) -> None:
        self._task = task
        self._seed = int(rng.integers(1 << 31))
        self._model: Any = None
        self._vector: Any = None

    def fit(self, train: Sequence[TaskItem], dev: Sequence[TaskItem], tell: Tell) -> None:
        linear, metrics = package("sklearn.linear_model"), package("sklearn.metrics")
        self._vector = Vectors()
        seen = self._vector.fit(train)
        labels = [str(item.gold) for item in train]
        others = self._vector.transform(dev) if dev else None
        best = -1.0
        for strength in self.STRENGTHS if dev else (1.0,):
            model = linear.LogisticRegression(
                C=strength, class_weight="balanced", max_iter=300, random_state=self._seed, solver="lbfgs"
            )
            model.fit(seen, labels)
            wanted = [str(item.gold) for item in dev]
            said = model.predict(others) if dev else []
            reached = metrics.f1_score(wanted, said, average="macro", zero_division=0) if dev else 0.0
            tell(f"strength {strength:g}: macro F1 {reached:.3f} on dev")
            if reached > best:
                best, self._model = reached, model

    def predict(self, items: Sequence[TaskItem], tell: Tell) -> list[Any]:
        said = self._model.predict(self._vector.transform(items)) if items else []
        return [answer == "True" if self._task.name == "detect" else str(answer) for answer in said]


class Retriever:
    """Says of an error what was said of similar errors in training.

    Of the rationales of the most similar errors it takes the one that has most words in common with all of them: one
    neighbour alone may be an odd one. How many neighbours are asked is chosen on dev, for the words in common with what
    was said there.
    """

    name = "linear"
    NEIGHBOURS = (1, 10, 50, 200)

    def __init__(self) -> None:
        self._items: list[TaskItem] = []
        self._words: list[frozenset[str]] = []
        self._vector: Any = None
        self._seen: Any = None
        self._asked = 1

    def fit(self, train: Sequence[TaskItem], dev: Sequence[TaskItem], tell: Tell) -> None:
        self._items = list(train)
        self._words = [_words(item) for item in train]
        self._vector, self._seen = similar(train)
        tell(f"{len(train):,} rationales to choose from")
        if not dev:
            return
        known = list(neighbours(self._vector, self._seen, dev, max(self.NEIGHBOURS)))
        wanted = [_words(item) for item in dev]
        scores = []
        for asked in self.NEIGHBOURS:
            said = [self._words[self._consensus(places[:asked], likeness[:asked])] for places, likeness in known]
            scores.append(float(np.mean([_shared(one, two) for one, two in zip(said, wanted, strict=True)])))
        self._asked = self.NEIGHBOURS[int(np.argmax(scores))]
        tell(f"of {self._asked} neighbours: {max(scores):.3f} of the words in common on dev")

    def predict(self, items: Sequence[TaskItem], tell: Tell) -> list[Any]:
        found = neighbours(self._vector, self._seen, items, self._asked)
        return [self._items[self._consensus(*one)].gold for one in found]

    def _consensus(self, places: Sequence[int], likeness: Sequence[float]) -> int:
        """The place of the rationale that shares most words with the others, the more similar errors' first."""
        words = [self._words[place] for place in places]

        def agreed(mine: frozenset[str]) -> float:
            return sum((like + 1e-9) * _shared(mine, other) for other, like in zip(words, likeness, strict=True))

        return max(zip(places, map(agreed, words), strict=True), key=lambda one: one[1])[0]


def _words(item: TaskItem) -> frozenset[str]:
    return frozenset(word.lower() for word in item.words()(item.gold))


def _shared(one: frozenset[str], other: frozenset[str]) -> float:
    """F1 of the words that two texts share."""
    return 2 * len(one & other) / (len(one) + len(other)) if one or other else 0.0


class Vectors:
    """Items as rows of numbers: tf-idf of those features that at least two items have."""

    def __init__(self, least: int = 2) -> None:
        self._least = least
        self._hashed: Any = None
        self._weights: Any = None
        self._kept: Any = None

    def fit(self, items: Sequence[TaskItem]) -> Any:
        text = package("sklearn.feature_extraction.text")
        self._hashed = text.HashingVectorizer(analyzer=features, n_features=1 << BITS, alternate_sign=False, norm=None)
        counted = self._hashed.transform(items)
        self._kept = np.flatnonzero(np.bincount(counted.indices, minlength=1 << BITS) >= min(self._least, len(items)))
        self._weights = text.TfidfTransformer(sublinear_tf=True)
        return self._weights.fit_transform(counted[:, self._kept])

    def transform(self, items: Sequence[TaskItem]) -> Any:
        return self._weights.transform(self._hashed.transform(items)[:, self._kept])


def similar(items: Sequence[TaskItem]) -> tuple[Vectors, Any]:
    """Vectors of items by which they can be compared, and how to make those of others."""
    vector = Vectors(least=1)
    return vector, vector.fit(items)


def nearest(vector: Vectors, seen: Any, items: Sequence[TaskItem]) -> Iterable[tuple[int, float]]:
    """For each item which of the known ones is most like it, and how much; the first of equals."""
    for places, likeness in neighbours(vector, seen, items, 1):
        yield places[0], likeness[0]


def neighbours(
    vector: Vectors, seen: Any, items: Sequence[TaskItem], most: int, at_once: int = 500
) -> Iterator[tuple[list[int], list[float]]]:
    """For each item those of the known ones that are most like it, and how much; the first of equals first."""
    for start in range(0, len(items), at_once):
        likeness = (vector.transform(items[start : start + at_once]) @ seen.T).toarray()
        for row in likeness:
            places = np.argsort(-row, kind="stable")[:most]
            yield places.tolist(), row[places].tolist()
