"""What managers do to a large board, with the campaign of an earlier round on a platform, and to a large study."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import yaml
from sqlalchemy import Connection, insert, update

from benchmarks._held_by import NAME
from goldmark.accounts.links import SignedLinks
from goldmark.campaigns.lifecycle import find_campaign
from goldmark.leaderboards.definition.actor import Actor
from goldmark.leaderboards.definition.boards import create_board, find_board
from goldmark.leaderboards.definition.changes import change_board
from goldmark.leaderboards.definition.file import BoardPlan
from goldmark.leaderboards.definition.items import DatasetInput
from goldmark.leaderboards.definition.settings import BoardSettings, Data
from goldmark.leaderboards.human.import_ratings import bring_ratings
from goldmark.leaderboards.human.open_round import open_round
from goldmark.leaderboards.human.rounds import approve
from goldmark.leaderboards.submitted.submit import SystemDescription, submit
from goldmark.protocols import load
from goldmark.records.tidy.columns import Frame
from goldmark.records.units import ShownText, ShownUnit, Unit
from goldmark.store import Store
from goldmark.store.tables import board_round, campaign
from goldmark.studies.design.change import change_study
from goldmark.studies.design.create import create_study
from goldmark.studies.design.file import StudyWithTexts, parse_study, read_study
from goldmark.texts.segmentation.text import make_text

Act = Callable[[], Any]
ITEMS, JUDGED, SYSTEMS, METRICS, TEXTS = 11_334, 2_400, 6, 4, 5_000
WHO = Actor("bench")
STUDY = Path(__file__).resolve().parents[1] / "examples" / "study-humanlike" / "study.yaml"


def acts(store: Store, earlier: str = NAME) -> Iterator[tuple[str, Act]]:
    """Prepared when it is asked for the next one. `earlier` is a campaign on a platform, as an earlier round has it."""
    now = datetime.now(UTC)
    _board(store, "judged", JUDGED)
    rng = np.random.default_rng(1)
    rows = [
        {"system": f"S{system}", "item": f"i{item}", "annotator": f"a{item % 60}", "score": float(rng.random())}
        for system in range(SYSTEMS)
        for item in range(JUDGED)
    ]
    yield (
        "14,400 ratings of six systems are brought in",
        partial(bring_ratings, store, "judged", Frame.of(rows), team="Lab", who="bench", now=now),
    )
    board = _board(store, "large", ITEMS)
    yield (
        "settings of a board of 11,334 items are changed",
        partial(change_board, store, "large", board, title="Larger", author="bench"),
    )
    sent = b"\n".join(orjson.dumps({"id": f"i{number}", "output": _words(rng)}) for number in range(JUDGED))
    about = SystemDescription("S0", "Lab")
    made = submit(store, "judged", about, io.BytesIO(sent), "outputs.jsonl", who=WHO, now=now)
    store.write(partial(_earlier_round, board="judged", name=earlier, now=now))
    approve(store, "judged", made.id, who=WHO, now=now)
    yield (
        "the next round after one on a platform is opened",
        partial(open_round, store, "judged", 3, who="bench", now=now + timedelta(days=2), force=True),
    )
    study = _study()
    create_study(store, SignedLinks(b"a benchmark has nothing to hide from anybody"), study, author="bench")
    source = yaml.safe_load(study.study.source)
    for words, change in (("another title", {"title": "Another"}), ("more people", {"participants": 260})):
        changed = yaml.safe_dump({**source, **change}, sort_keys=False)
        yield (
            f"a study of 5,000 texts gets {words}",
            partial(change_study, store, study.study.name, changed, author="bench"),
        )


def _board(store: Store, name: str, items: int) -> BoardSettings:
    rng = np.random.default_rng(2)
    some = tuple(DatasetInput(f"i{number}", (), (_words(rng),), "", {}) for number in range(items))
    settings = BoardSettings.model_validate({"public": True, "human": {"pay": {"budget": "1000000"}}})
    create_board(
        store,
        BoardPlan(name, name, load("rating-summary"), settings, Data(items="items.jsonl"), some, ""),
        author="bench",
    )
    return settings


def _words(rng: np.random.Generator) -> str:
    return " ".join(f"word{number}" for number in rng.integers(5_000, size=22))


def _earlier_round(connection: Connection, board: str, name: str, now: datetime) -> None:
    """A round whose campaign is over."""
    row, there = find_board(connection, board), find_campaign(connection, name)
    connection.execute(update(campaign).where(campaign.c.id == there.id).values(state="closed"))
    times = {"opens_at": now, "opened_at": now, "scored_at": now}
    values = {"board_id": row.id, "number": 2, "state": "scored", "campaign_id": there.id, "facts": {}, **times}
    connection.execute(insert(board_round).values(values))


def _study() -> StudyWithTexts:
    """The example with each of its texts many times."""
    made = read_study(STUDY)
    units = []
    for number in range(TEXTS):
        one = made.units[number % len(made.units)]
        text = make_text(f"t{number}", f"{one.shown.texts['text'].text.characters} Number {number}.")
        units.append(Unit(f"t{number}", ShownUnit({"text": ShownText(text)}), dict(one.hidden)))
    return StudyWithTexts(parse_study(made.study.source, made.study.protocol), tuple(units))
