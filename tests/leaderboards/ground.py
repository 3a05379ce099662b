"""A small board to play on: questions with references, teams, a clock of one's own."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml
from sqlalchemy import select

from goldmark.accounts.links import SignedLinks
from goldmark.campaigns.assignments.content_cache import ContentCache
from goldmark.campaigns.assignments.responses import ResponseService, Submission
from goldmark.campaigns.assignments.work_service import WorkService
from goldmark.leaderboards.definition.actor import Actor
from goldmark.leaderboards.definition.boards import BoardRow, create_board
from goldmark.leaderboards.definition.file import read_board
from goldmark.leaderboards.submitted.submissions import SubmissionRow
from goldmark.leaderboards.submitted.submit import SystemDescription, submit
from goldmark.people import annotators
from goldmark.store import Store
from goldmark.store.tables import unit

NAME = "questions"
NOW = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)  # a Monday
OPERATOR = Actor("operator")
LIKERT = ("strongly_disagree", "disagree", "neutral", "agree", "strongly_agree")


def items(count: int) -> list[dict[str, Any]]:
    return [
        {
            "id": f"q{number}",
            "context": {"Question": f"What is {number} plus one?"},
            "references": [f"It is {number + 1}."],
            "language": "en",
        }
        for number in range(count)
    ]


def write_board(folder: Path, rows: Sequence[Mapping[str, Any]] | None = None, **keys: Any) -> Path:
    """A leaderboard file and its items."""
    lines = [json.dumps(row) for row in (items(6) if rows is None else rows)]
    (folder / "items.jsonl").write_text("\n".join(lines), encoding="utf-8")
    given = {"leaderboard": NAME, "protocol": "rating-qa", "data": "items.jsonl", **keys}
    path = folder / "board.yaml"
    path.write_text(yaml.safe_dump(given, sort_keys=False), encoding="utf-8")
    return path


def make_board(store: Store, folder: Path, rows: Sequence[Mapping[str, Any]] | None = None, **keys: Any) -> BoardRow:
    return create_board(store, read_board(write_board(folder, rows, **keys)), author="test")


def outputs(count: int, words: str = "The answer to {} is clear.") -> bytes:
    lines = [json.dumps({"id": f"q{number}", "output": words.format(number)}) for number in range(count)]
    return "\n".join(lines).encode()


def send(
    store: Store,
    system: str,
    content: bytes | None = None,
    *,
    team: str = "Alder Lab",
    who: Actor = OPERATOR,
    now: datetime = NOW,
    name: str = NAME,
) -> SubmissionRow:
    made = outputs(6, f"{system} says {{}}.") if content is None else content
    return submit(store, name, SystemDescription(system, team), io.BytesIO(made), "outputs.jsonl", who=who, now=now)


def answer_all(
    store: Store,
    campaign: str,
    answers: Mapping[str, int],
    person: str = "Ann",
    axis: str = "correct",
    *,
    knows: bool = False,
) -> int:
    """Someone answers everything they are given: a word in the output decides the Likert point, from 0.

    Who `knows` says of a reference with another item's question that it is wrong.
    """
    links = SignedLinks(b"a key for tests")
    work = WorkService(store, links, ContentCache(store))
    responses = ResponseService(work)
    token = annotators.invite(store, links, campaign, person, author="test")[1]
    rows = store.read(lambda connection: connection.execute(select(unit.c.id, unit.c.shown, unit.c.stratum)).all())
    shown = {number: json.loads(words)["texts"]["text"]["characters"] for number, words, _ in rows}
    wrong = {number for number, _, stratum in rows if stratum == "test-negative"} if knows else set()
    count = 0
    while (task := work.next(token).task) is not None:
        characters = shown[task.unit_id]
        point = next((point for word, point in answers.items() if word in characters), 4)
        point = 0 if task.unit_id in wrong else point
        responses.submit(token, task.id, Submission({axis: LIKERT[point]}, f"key-{person}-{count:06}", None, 5.0))
        count += 1
    return count
