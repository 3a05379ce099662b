"""A task as a leaderboard: systems send in corrections or rationales, people judge them, metrics stand beside.

Only what a person can judge becomes a board. Whether a text is erroneous, which tokens are and of which type is settled
by the dataset, and `goldmark benchmark score` says it at once.
"""

from __future__ import annotations

from collections.abc import Iterator

import orjson
import yaml

from goldmark.datasets.benchmark.models.checkpoint import joined, marked
from goldmark.datasets.benchmark.tasks import find_task, items_of
from goldmark.datasets.release.loader import Dataset

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
    """The files of a leaderboard: its own, the items with references, and the protocol for judging."""
    manifest = dataset.manifest
    task = find_task(task_name, manifest.tasks, dataset.folder)
    items = items_of(task, dataset.rows(split))
    chinese = all(item.language.startswith("zh") for item in items)
    name = "".join(letter if letter.isalnum() else "-" for letter in f"{manifest.name}-{task_name}".lower()).strip("-")
    board = {
        "leaderboard": name[:60],
        "title": f"{task.title}: {manifest.title}"[:400],
        "protocol": "protocol.yaml",
        "data": {"items": "items.jsonl"},
        "metrics": ["bleu:tokenize=zh", "rougeL:tokenize=chars"] if chinese else ["bleu", "rougeL"],
    }
    yield "leaderboard.yaml", yaml.safe_dump(board, sort_keys=False, allow_unicode=True).encode()
    lines = []
    for item in items:
        # A correction is read beside the text as it was; a reason beside the text with the error marked.
        context = item.text if item.span is None else marked(item)
        reference = joined(item.gold, item.language) if task_name == "correct" else item.gold
        lines.append(
            {
                "id": item.text_id + (f"/{item.error}" if item.error else ""),
                "context": [{"kind": "text", "title": "Text", "text": context}],
                "reference": reference,
                "language": item.language,
            }
        )
    yield "items.jsonl", b"".join(orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE) for line in lines)
    yield "protocol.yaml", _protocol(task_name).encode()


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
