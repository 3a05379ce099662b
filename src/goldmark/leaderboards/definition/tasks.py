"""Tasks whose answers are more than a text: how one is read, what is kept of it, and how it is scored.

A board names its task under `data.task`. Each of its items then has an `input`, which systems get, and an `answer`, the
right one, which nobody gets. A task's figures stand among the board's metrics as `task:figure=NAME`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from goldmark.leaderboards.definition.items import DatasetInput
from goldmark.metrics.plugins import Spec
from goldmark.plugins import Group
from goldmark.records.figures import Figure

METRIC = "task"  # by this name its figures stand among the metrics
FIGURE = "figure"


class AnswerScores(NamedTuple):
    """What a system's answers are worth: each figure, what every item alone says of it, and how they were made."""

    figures: Mapping[str, Figure]
    segments: Mapping[str, Sequence[float | None]]
    signature: str


@dataclass(frozen=True)
class AnswerTask:
    """A task by its name. What `read` and `score` cannot use, they say with a ValueError."""

    name: str
    purpose: str
    figures: tuple[str, ...]  # the first is the one by which systems are ordered
    example: Mapping[str, Any]  # an answer, as a line of a submission has it
    read: Callable[[object, DatasetInput], str]  # an answer; what is kept is text that people can read
    score: Callable[[Sequence[DatasetInput], Sequence[str]], AnswerScores]  # what was kept, item by item
    wrong: Callable[[DatasetInput], str]  # what is wrong with an item; nothing if it can be asked and scored


TASKS: Group[AnswerTask] = Group(
    "tasks",
    "task",
    AnswerTask,
    {
        name: f"goldmark.datasets.benchmark.board_tasks:{name.upper()}"
        for name in ("detect", "spans", "type", "correct", "rationale")
    },
)


def figure_of(metric: str) -> str | None:
    """The figure of a task that a metric's words ask for; None if they ask for another metric."""
    spec = Spec.parse(metric)
    return dict(spec.options).get(FIGURE, "") if spec.name == METRIC else None


def metric_of(figure: str) -> str:
    """A task's figure as a board's file names it."""
    return str(Spec(METRIC, ((FIGURE, figure),)))


def wrong_items(task: AnswerTask, items: Sequence[DatasetInput]) -> Iterator[str]:
    for item in items:
        if why := task.wrong(item):
            yield f'item "{item.name}": {why}'


class AnswerReader:
    """The answers of an upload, line by line, each read as the task has it."""

    def __init__(self, task: AnswerTask, items: Sequence[DatasetInput]) -> None:
        self.task = task
        self._items = {item.name: item for item in items}

    @staticmethod
    def name_of(values: Mapping[str, Any]) -> object:
        """The item that a line answers: its `id`, with `error` where a text is asked about several errors."""
        name, error = values.get("id"), values.get("error")
        return f"{name}/{error}" if isinstance(error, str) and error else name

    def read(self, name: str, values: Mapping[str, Any]) -> str:
        """What is kept of a line: of its `output`, or of all that stands beside the id."""
        rest = {key: value for key, value in values.items() if key not in ("id", "error")}
        return self.task.read(values.get("output", rest), self._items[name])
