"""The five tasks on leaderboards: the same answers, the same figures and the same intervals as `benchmark score`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import orjson

from goldmark.datasets.benchmark.maxmatch import Edit
from goldmark.datasets.benchmark.models.checkpoint import joined
from goldmark.datasets.benchmark.scores import score
from goldmark.datasets.benchmark.sealed import input_of, items_from
from goldmark.datasets.benchmark.tasks import TASKS, BenchmarkTask, TaskItem
from goldmark.leaderboards.definition.items import DatasetInput
from goldmark.leaderboards.definition.tasks import AnswerScores, AnswerTask

EDITS = "edits"
# Answers that are texts are kept as texts, for people and for metrics; their key in an answer.
TEXTS = {"correct": "text", "rationale": "rationale"}
EXAMPLES: Mapping[str, Mapping[str, Any]] = {
    "detect": {"erroneous": True},
    "spans": {"erroneous": [[2, 3]], "associated": [[5, 6]]},
    "type": {"error": "e1", "type": "combination"},
    "correct": {"text": "The committee approved the new proposal."},
    "rationale": {"error": "e1", "rationale": "A proposal cannot be drunk."},
}


def parts_of(task: BenchmarkTask, item: TaskItem) -> dict[str, Any]:
    """The `input` and the `answer` of a board's item."""
    answer = task.write(item.gold)
    if item.edits:
        answer[EDITS] = [[one.start, one.end, list(one.words)] for one in item.edits]
    return {"input": input_of(item), "answer": answer}


def _without_answer(item: DatasetInput) -> TaskItem:
    return next(items_from([dict(item.input or {})]))


def _with_answer(task: BenchmarkTask, item: DatasetInput) -> TaskItem:
    asked, answer = _without_answer(item), item.answer or {}
    edits = tuple(Edit(start, end, tuple(words)) for start, end, words in answer.get(EDITS, ()))
    return replace(asked, gold=task.read(answer, asked), edits=edits)


def _board_task(task: BenchmarkTask) -> AnswerTask:
    text = TEXTS.get(task.name)

    def read(given: object, item: DatasetInput) -> str:
        if isinstance(given, str) and text:
            given = {text: given}
        if not isinstance(given, Mapping):
            raise ValueError(f"write it as {orjson.dumps(EXAMPLES[task.name]).decode()}")
        asked = _without_answer(item)
        answer = task.read(given, asked)
        if not text:
            return orjson.dumps(task.write(answer)).decode()
        kept = str(answer) if text == "rationale" else joined(answer, asked.language)
        again(kept, asked)  # tokens that were given may be more when the text is cut again
        return kept

    def again(kept: str, asked: TaskItem) -> Any:
        return task.read({text: kept} if text else orjson.loads(kept), asked)

    def scored(items: Sequence[DatasetInput], kept: Sequence[str]) -> AnswerScores:
        asked = [_with_answer(task, item) for item in items]
        answers = [again(words, item) for words, item in zip(kept, asked, strict=True)]
        found = score(task, asked, answers)
        # Of corrections, which people judge as well, it is of interest how far each one goes with people.
        alone = (
            [score(task, [one], [said]) for one, said in zip(asked, answers, strict=True)]
            if task.name == "correct"
            else []
        )
        segments = {name: [one.figures[name].value for one in alone] for name in task.figures if alone}
        return AnswerScores(found.figures, segments, found.signature)

    def wrong(item: DatasetInput) -> str:
        try:
            _with_answer(task, item)
        except (KeyError, TypeError, ValueError) as error:
            said = f"{error.args[0]!r} is missing" if isinstance(error, KeyError) else str(error)
            return f"its input or its answer is not what {task.name} needs: {said}"
        return ""

    figures = (task.main, *(name for name in task.figures if name not in (task.main, "bertscore")))
    return AnswerTask(task.name, task.title, figures, EXAMPLES[task.name], read, scored, wrong)


DETECT, SPANS, TYPE, CORRECT, RATIONALE = map(_board_task, TASKS.values())
