"""What a model is to the benchmark, and which there are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from goldmark.datasets.benchmark.tasks import BenchmarkTask, TaskItem
from goldmark.errors import Failed, Missing

Tell = Callable[[str], None]


class UnknownModel(Missing):
    code = "BENCHMARK-02"
    message = "{name!r} is neither random nor linear nor the folder of a checkpoint with a config.json"


class ModelNotInstalled(Failed):
    code = "BENCHMARK-03"
    message = "the model {name!r} needs {package}; install it with: {command}"


class BenchmarkModel(Protocol):
    """Trains on one split, may choose thresholds on another, and answers items that it has never seen."""

    name: str

    def fit(self, train: Sequence[TaskItem], dev: Sequence[TaskItem], tell: Tell) -> None: ...

    def predict(self, items: Sequence[TaskItem], tell: Tell) -> list[Any]: ...


def find_model(name: str, task: BenchmarkTask, rng: np.random.Generator, **options: Any) -> BenchmarkModel:
    """A fresh model for a task; `options` are for checkpoints: epochs, rate, batch, length."""
    if name == "random":
        from goldmark.datasets.benchmark.models.chance import Chance

        return Chance(task, rng)
    if name == "linear":
        from goldmark.datasets.benchmark.models.linear import linear_model

        return linear_model(task, rng)
    folder = Path(name)
    if not (folder / "config.json").is_file():
        raise UnknownModel(name=name)
    from goldmark.datasets.benchmark.models.checkpoint import Checkpoint

    return Checkpoint(task, folder, rng, **options)
