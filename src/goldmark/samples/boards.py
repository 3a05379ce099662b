"""Sample leaderboards, one for each GENIE template, on small data that we wrote; one of them is filled for the demo."""

from __future__ import annotations

import io
import json
from datetime import datetime
from pathlib import Path
from typing import Any

from goldmark.leaderboards.definition.actor import Actor
from goldmark.leaderboards.definition.boards import BoardRow, create_board, list_boards
from goldmark.leaderboards.definition.file import read_board
from goldmark.leaderboards.human.import_ratings import bring_ratings
from goldmark.leaderboards.submitted.submissions import publish
from goldmark.leaderboards.submitted.submit import SystemDescription, submit
from goldmark.samples import sample
from goldmark.store import Store

BOARDS = ("question-answering", "explanation", "translation", "summarisation")
HERE = Path(__file__).parent / "leaderboards"
TEAMS = {"alder": "Alder Lab", "birch": "Birch Institute", "cedar": "Cedar Group"}
AUTHOR = "Goldmark samples"
AGREEMENT = ("strongly_disagree", "disagree", "neutral", "agree", "strongly_agree")


def board_file(name: str) -> Path:
    """The leaderboard file of a sample, ready for `goldmark leaderboard create`."""
    return HERE / name / "leaderboard.yaml"


def outputs_file(name: str, system: str) -> Path:
    """What a sample system answered, ready for `goldmark leaderboard submit`."""
    return HERE / name / f"{system}.jsonl"


def fill_board(store: Store, *, now: datetime) -> BoardRow:
    """The board for question answering: three systems, judged by the sample annotators. Left alone if it is there."""
    plan = read_board(board_file("question-answering"))
    for row in store.read(list_boards):
        if row.name == plan.name:
            return row
    board = create_board(store, plan, author=AUTHOR)
    who = Actor(AUTHOR)
    for system, team in TEAMS.items():
        about = SystemDescription(system.capitalize(), team, "An imaginary system.", "", (f"The {team} team",))
        content = io.BytesIO(outputs_file("question-answering", system).read_bytes())
        sent = submit(store, board.name, about, content, f"{system}.jsonl", who=who, now=now)
        publish(store, board.name, sent.id, who=who)
    bring_ratings(store, board.name, _ratings(), team=AUTHOR, who=AUTHOR, now=now)
    return board


def _ratings() -> Any:
    """What the sample annotators said of the same answers in the sample campaign."""
    from goldmark.records.tidy.columns import Frame

    found = sample("rating-qa")
    texts = [json.loads(line) for line in found.texts.read_text(encoding="utf-8").splitlines()]
    systems = {one["id"]: one["system"] for one in texts}
    return Frame.of(
        [
            {
                "system": systems[one.unit].capitalize(),
                "item": one.unit.partition("-")[0],
                "annotator": one.annotator,
                "score": AGREEMENT.index(one.answers["correct"]) / (len(AGREEMENT) - 1),
            }
            for one in found.annotations()
        ],
        source="the sample annotators",
    )
