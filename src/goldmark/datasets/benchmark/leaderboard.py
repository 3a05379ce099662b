"""A task as a leaderboard: systems send in answers, which are scored against those that only the owner has.

Whether a text is erroneous, which tokens are and of which type is settled by the dataset, so these boards ask nobody.
Corrections and rationales are scored as well, and people judge them. Made from the key of a sealed benchmark, a board
asks what the benchmark's inputs ask, under their names.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson
import yaml

from goldmark.datasets.benchmark.board_tasks import parts_of
from goldmark.datasets.benchmark.models.checkpoint import joined, marked
from goldmark.datasets.benchmark.tasks import BenchmarkTask, TaskItem, find_task, items_of
from goldmark.datasets.release.loader import Dataset
from goldmark.leaderboards.definition.tasks import TASKS as ANSWER_TASKS
from goldmark.leaderboards.definition.tasks import metric_of

SCALE = (
    ("strongly_disagree", "Strongly disagree", 0.0),
    ("disagree", "Disagree", 0.25),
    ("neutral", "Neither", 0.5),
    ("agree", "Agree", 0.75),
    ("strongly_agree", "Strongly agree", 1.0),
)
ASKED = {
    "correct": (
        "Is the text corrected?",
        "Read the text with its error and the proposed correction.",
        "The correction repairs the error, changes nothing else, and reads well.",
    ),
    "rationale": (
        "Does the reason convince?",
        "Read the text, in which the error stands between [ and ], and the proposed reason.",
        "The reason says correctly why the marked words are wrong.",
    ),
}


def board_files(dataset: Dataset, task_name: str, split: str) -> Iterator[tuple[str, bytes]]:
    """The files of a leaderboard: its own, the items with their answers, and the protocol where people judge."""
    manifest = dataset.manifest
    task = find_task(task_name, manifest.tasks, dataset.folder)
    items = items_of(task, dataset.rows_for(task_name, split))
    chinese = all(item.language.startswith("zh") for item in items)
    name = "".join(letter if letter.isalnum() else "-" for letter in f"{manifest.name}-{task_name}".lower()).strip("-")
    judged = task_name in ASKED
    texts = (["bleu:tokenize=zh", "rougeL:tokenize=chars"] if chinese else ["bleu", "rougeL"]) if judged else []
    board = {
        "leaderboard": name[:60],
        "title": f"{task.title}: {manifest.title}"[:400],
        **({"protocol": "protocol.yaml"} if judged else {}),
        "data": {"items": "items.jsonl", "task": task_name},
        "metrics": [*map(metric_of, ANSWER_TASKS[task_name].figures), *texts],
    }
    yield "leaderboard.yaml", yaml.safe_dump(board, sort_keys=False, allow_unicode=True).encode()
    lines = [_line(task, item) for item in items]
    yield "items.jsonl", b"".join(orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE) for line in lines)
    if judged:
        yield "protocol.yaml", _protocol(task_name).encode()


def _line(task: BenchmarkTask, item: TaskItem) -> dict[str, Any]:
    # A correction is read beside the text as it was; a reason beside the text with the error marked.
    context = item.text if item.span is None else marked(item)
    reference = joined(item.gold, item.language) if task.name == "correct" else item.gold
    return {
        "id": item.text_id + (f"/{item.error}" if item.error else ""),
        "context": [{"kind": "text", "title": "Text", "text": context}],
        **({"reference": reference} if task.name in ASKED else {}),
        "language": item.language,
        **parts_of(task, item),
    }


def _protocol(task_name: str) -> str:
    title, summary, claim = ASKED[task_name]
    options = [{"id": name, "title": said, "value": value} for name, said, value in SCALE]
    question = {"id": "quality", "kind": "choice", "ask": claim, "options": options}
    return yaml.safe_dump(
        {
            "protocol": f"benchmark-{task_name}/1",
            "title": title,
            "summary": summary,
            "steps": [{"id": "judge", "title": title, "questions": [question]}],
        },
        sort_keys=False,
    )
